import CastWire

/// The open questions of a player to the provider of its queue.
struct QueueProvision {
    /// The purpose of an answer.
    enum Purpose {
        /// A load begins, of what the sender asked for unless the provider has more.
        case load(LoadPlan, PlayerRequest)
        /// The queue grows behind its last item, or before its first.
        case growth(isBehind: Bool)
        case request(PlayerRequest)
    }

    struct Pending {
        let kind: QueueQuestion.Kind
        let purpose: Purpose
        /// The media session that it is about; nil for a load.
        let session: Int?
    }

    /// The limit of open questions.
    static let limit = 16
    /// The number of items that may come at once.
    static let itemLimit = 200

    private(set) var pending: [Int: Pending] = [:]
    private var lastToken = 0
    /// The last and the first item about which the provider was asked: it is not asked again until there are others.
    private var askedBehind: Int?
    private var askedBefore: Int?

    /// True if one more question may be asked.
    var hasRoom: Bool { self.pending.count < Self.limit }

    /// Notes a question.
    /// - Returns: what its answer carries.
    mutating func add(_ pending: Pending) -> Int {
        self.lastToken += 1
        self.pending[self.lastToken] = pending
        return self.lastToken
    }

    /// Takes a question out; nil when it was taken back.
    mutating func take(_ token: Int) -> Pending? { self.pending.removeValue(forKey: token) }

    /// The queue is another one: what was asked to make the former grow is not awaited any more, and may be asked anew.
    mutating func forgetGrowth() {
        self.pending = self.pending.filter { if case .growth = $0.value.purpose { false } else { true } }
        self.askedBehind = nil
        self.askedBefore = nil
    }

    /// The question that has to be answered before a request; nil for one that is answered without it.
    func question(before request: PlayerRequest, _ type: MediaRequestType, about queue: PlayerQueue) -> QueueQuestion? {
        switch type {
        case .queueShuffle:
            var details: JSONObject = ["shuffle": .bool(request.message.shuffles ?? true)]
            details["item"] = queue.current.map { .object($0.item.json) }
            return QueueQuestion(.shuffle, details)
        case .queueGetItemRange:
            guard let id = request.message.itemID, let position = queue.position(of: id) else { return nil }
            let next = request.message.nextCount ?? 0
            let previous = request.message.previousCount ?? 0
            let lacksNext = next > queue.count - 1 - position && self.askedBehind != queue.ids.last
            let lacksPrevious = previous > position && self.askedBefore != queue.ids.first
            guard lacksNext || lacksPrevious else { return nil }
            var details: JSONObject = [
                "itemId": .number(id), "nextCount": .number(lacksNext ? next - (queue.count - 1 - position) : 0),
                "prevCount": .number(lacksPrevious ? previous - position : 0),
            ]
            details["first"] = queue.entries.first.map { .object($0.item.json) }
            details["last"] = queue.entries.last.map { .object($0.item.json) }
            return QueueQuestion(.fetchItems, details)
        default: return nil
        }
    }

    /// Asks for what follows the last item while that plays, and for what comes before the first.
    mutating func growthQuestions(about queue: PlayerQueue) -> [(question: QueueQuestion, isBehind: Bool)] {
        guard let first = queue.entries.first, let last = queue.entries.last else { return [] }
        var questions: [(question: QueueQuestion, isBehind: Bool)] = []
        if queue.index + 1 >= queue.count, self.askedBehind != last.id {
            self.askedBehind = last.id
            questions.append((Self.question(.nextItems, about: last), true))
        }
        if queue.index == 0, self.askedBefore != first.id {
            self.askedBefore = first.id
            questions.append((Self.question(.previousItems, about: first), false))
        }
        return questions
    }

    private static func question(_ kind: QueueQuestion.Kind, about entry: PlayerQueue.Entry) -> QueueQuestion {
        QueueQuestion(kind, ["itemId": .number(entry.id), "item": .object(entry.item.json)])
    }

    /// Takes the load back that waits for an answer.
    mutating func takeLoad() -> PlayerRequest? {
        for (token, pending) in self.pending {
            guard case .load(_, let request) = pending.purpose else { continue }
            self.pending[token] = nil
            return request
        }
        return nil
    }
}
