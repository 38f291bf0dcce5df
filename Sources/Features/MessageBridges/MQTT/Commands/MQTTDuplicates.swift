import CastWire
import NIOCore

/// The commands of the last minute with their answers, so that what comes twice is done once and answered again. Bounded; the oldest
/// is forgotten first.
struct MQTTDuplicates: Sendable {
    /// The relation of a command to those before it.
    enum Finding: Sendable, Hashable {
        /// It has not come in the last minute.
        case new
        /// It has, and is carried out; or its answer was too large to be remembered.
        case underWay
        case answered(JSONObject)
    }

    private struct Entry {
        var at: NIODeadline
        var answer: JSONObject?
        var size = 0
    }

    private static let age = TimeAmount.seconds(60)
    private let limit: Int
    private let maximumBytes: Int
    private var seen: [String: Entry] = [:]
    private var order = CircularBuffer<(identity: String, at: NIODeadline)>()
    /// The commands whose answers are remembered, the oldest first.
    private var answered = CircularBuffer<String>()
    private var bytes = 0

    /// - Parameter maximumBytes: how much their answers may have together.
    init(limit: Int = 10_000, maximumBytes: Int = 4 << 20) {
        self.limit = limit
        self.maximumBytes = maximumBytes
    }

    /// Looks something up, and remembers it.
    mutating func find(_ identity: String, at now: NIODeadline) -> Finding {
        while let first = self.order.first, now - first.at >= Self.age || self.order.count >= self.limit {
            self.order.removeFirst()
            // One that was forgotten and came again has a later instant.
            if self.seen[first.identity]?.at == first.at { self.forget(first.identity) }
        }
        if let entry = self.seen[identity] { return entry.answer.map { .answered($0) } ?? .underWay }
        self.seen[identity] = Entry(at: now)
        self.order.append((identity, now))
        return .new
    }

    /// Remembers an answer.
    mutating func remember(_ answer: JSONObject, of size: Int, for identity: String) {
        guard let entry = self.seen[identity], entry.answer == nil, size <= self.maximumBytes else { return }
        self.seen[identity]?.answer = answer
        self.seen[identity]?.size = size
        self.answered.append(identity)
        self.bytes += size
        while self.bytes > self.maximumBytes, let oldest = self.answered.popFirst() { self.dropAnswer(of: oldest) }
    }

    /// Forgets something, which is new when it comes again.
    mutating func forget(_ identity: String) {
        self.dropAnswer(of: identity)
        self.seen[identity] = nil
        while let oldest = self.answered.first, self.seen[oldest]?.answer == nil { self.answered.removeFirst() }
    }

    private mutating func dropAnswer(of identity: String) {
        self.bytes -= self.seen[identity]?.size ?? 0
        self.seen[identity]?.answer = nil
        self.seen[identity]?.size = 0
    }
}
