public import CastWire

/// A message with more queue items than fit into a frame, as several: a load with as many as fit, and insertions of the others.
///
/// They are one command: each part is sent when the app has carried out the one before, and ``failure(_:)`` says how far that went.
public struct MediaMessageParts: Hashable, Sendable {
    /// Leaves room for the numbers that are added before a part is sent, in bytes.
    private static let reserve = 512

    private struct Insertion: Hashable, Sendable {
        var message: JSONObject
        let count: Int
        /// True for items that go before the one with which the load began.
        var goesBeforeFirst = false
    }

    /// The first part to send.
    public let first: JSONObject
    private var insertions: [Insertion] = []
    /// How many items all parts have.
    private let total: Int
    /// How many items are in the parts that were carried out.
    private var done = 0
    /// How many items are in the part that was sent last.
    private var pending: Int
    private var mediaSessionID: Int?
    /// The item with which the load began.
    private var firstItemID: Int?

    /// Divides a message; most fit as they are.
    /// - Throws: ``RequestError`` with the code `messageTooBig` when an item, or all but the items, does not fit.
    public init(_ message: JSONObject) throws(RequestError) {
        let type = message.string("type").map(MediaRequestType.init(rawValue:))
        let queue = message.object("queueData")
        let items = queue?.array("items") ?? message.array("items") ?? []
        let isLoad = type == .load || type == .queueLoad
        self.total = items.count
        let limit = MediaOutbox.payloadLimit - Self.reserve
        guard let type, [.load, .queueLoad, .queueInsert].contains(type), items.count > 1, Self.length(message) > limit
        else {
            self.first = message
            self.pending = items.count
            return
        }
        let start = isLoad ? queue?.int("startIndex") ?? message.int("startIndex") ?? 0 : 0
        guard items.indices.contains(start) else {
            throw RequestError(.invalidRequest, "the queue has no item \(start)")
        }
        let bare = Self.message(message, with: [], startIndex: nil)
        let head = try Self.runs(items[start...], in: bare, limit: limit).first ?? start..<start
        self.first = Self.message(
            message, with: Array(items[head]), startIndex: isLoad ? 0 : nil,
            playing: Self.place(message.int("currentItemIndex"), in: head))
        self.pending = head.count
        let insertion = Self.insertion(like: message)
        for run in try Self.runs(items[head.upperBound...], in: insertion, limit: limit) {
            var part = insertion
            part["items"] = .array(Array(items[run]))
            if let place = Self.place(message.int("currentItemIndex"), in: run) {
                part["currentItemIndex"] = .number(place)
                part["currentTime"] = message["currentTime"]
            }
            self.insertions.append(Insertion(message: part, count: run.count))
        }
        for run in try Self.runs(items[..<start], in: insertion, limit: limit) {
            var part = insertion
            part["items"] = .array(Array(items[run]))
            self.insertions.append(Insertion(message: part, count: run.count, goesBeforeFirst: true))
        }
    }

    /// What is sent next, once the app has carried out the part before; nil when that was the last.
    /// - Parameter media: what is known of the app by then.
    /// - Throws: ``RequestError`` when the queue that was loaded is not there any more, or the app does not tell its items.
    public mutating func next(after media: MediaSnapshot) throws(RequestError) -> JSONObject? {
        self.done += self.pending
        self.pending = 0
        guard var part = self.insertions.first else { return nil }
        if self.mediaSessionID == nil {
            self.mediaSessionID = media.mediaSessionID
            self.firstItemID = media.currentItemID ?? media.nearItems.first?.itemID
        }
        guard let session = self.mediaSessionID, session == media.mediaSessionID else {
            throw self.failure(RequestError(.replaced, "something else was loaded meanwhile"))
        }
        part.message["mediaSessionId"] = .number(session)
        if part.goesBeforeFirst {
            guard let item = self.firstItemID else {
                throw self.failure(RequestError(.invalidResponse, "the app does not tell the items of its queue"))
            }
            part.message["insertBefore"] = .number(item)
        }
        self.insertions.removeFirst()
        self.pending = part.count
        return part.message
    }

    /// Why a part was not carried out, with how many items were before it; the words themselves for the first one.
    public func failure(_ message: String) -> String {
        self.done > 0 ? "\(self.done) of \(self.total) items are in the queue, and then: " + message : message
    }

    private func failure(_ error: RequestError) -> RequestError {
        var error = error
        error.message = self.failure(error.message)
        return error
    }

    /// What became of all of them, when the one that was sent last came to this end.
    func outcome(_ last: RequestOutcome) -> RequestOutcome {
        switch last {
        case .failed(let error): return .failed(self.failure(error))
        case .timedOut where self.done > 0:
            return .failed(self.failure(RequestError(.timeout, "no answer came in time")))
        case .completed, .aborted, .timedOut: return last
        }
    }

    // MARK: Dividing

    /// Runs of items that fit into one message each, in order.
    private static func runs(
        _ items: ArraySlice<JSONValue>, in bare: JSONObject, limit: Int
    ) throws(RequestError) -> [Range<Int>] {
        let base = Self.length(bare)
        var runs: [Range<Int>] = []
        var begin = items.startIndex
        var length = base
        for index in items.indices {
            let size = JSONValue.array([items[index]]).text.utf8.count
            guard base + size <= limit else {
                throw RequestError(.messageTooBig, "item \(index) of the queue does not fit into a message")
            }
            if length + size > limit {
                runs.append(begin..<index)
                begin = index
                length = base
            }
            length += size
        }
        if begin < items.endIndex { runs.append(begin..<items.endIndex) }
        return runs
    }

    private static func message(
        _ message: JSONObject, with items: [JSONValue], startIndex: Int?, playing: Int? = nil
    ) -> JSONObject {
        var message = message
        if var queue = message.object("queueData") {
            queue["items"] = .array(items)
            queue["startIndex"] = startIndex.map { .number($0) }
            message["queueData"] = .object(queue)
        } else {
            message["items"] = .array(items)
            if message["startIndex"] != nil { message["startIndex"] = startIndex.map { .number($0) } }
            message["currentItemIndex"] = playing.map { .number($0) }
            if playing == nil, startIndex == nil { message["currentTime"] = nil }
        }
        return message
    }

    /// An insertion without items, for what a message leaves over.
    private static func insertion(like message: JSONObject) -> JSONObject {
        var part: JSONObject = ["type": .string(MediaRequestType.queueInsert.rawValue)]
        if message.string("type") == MediaRequestType.queueInsert.rawValue {
            part["insertBefore"] = message["insertBefore"]
            part["customData"] = message["customData"]
        }
        return part
    }

    private static func place(_ index: Int?, in run: Range<Int>) -> Int? {
        index.flatMap { run.contains($0) ? $0 - run.lowerBound : nil }
    }

    private static func length(_ message: JSONObject) -> Int { JSONValue.object(message).text.utf8.count }
}
