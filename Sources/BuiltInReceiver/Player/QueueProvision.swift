import CastWire

/// What a player has asked the provider of its queue, and for what.
struct QueueProvision {
    /// What is done with an answer.
    enum Purpose {
        /// A load begins, of what the sender asked for unless the provider has more.
        case load(LoadPlan, PlayerRequest)
        /// The queue grows behind its last item, or before its first.
        case growth(isBehind: Bool)
        /// A request is answered.
        case request(PlayerRequest)
    }

    /// A question that is not answered.
    struct Pending {
        let kind: QueueQuestion.Kind
        let purpose: Purpose
        /// The media session that it is about; nil for a load.
        let session: Int?
    }

    /// So many questions may be open.
    static let limit = 16
    /// So many items may come at once.
    static let itemLimit = 200

    private(set) var pending: [Int: Pending] = [:]
    private var lastToken = 0
    /// The last and the first item about which the provider was asked: it is not asked again until there are others.
    var askedBehind: Int?
    var askedBefore: Int?

    /// Whether one more question may be asked.
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
