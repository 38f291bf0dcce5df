import NIOCore

/// Messages of one destination that wait for one another: those of a device, or all.
///
/// The outbox's database has all of them; the oldest stand here, up to a bound, and the others are read when these have gone.
struct DeliveryLane {
    /// The next work of a lane.
    enum Turn {
        /// It has this message, which is under way now.
        case message(OutboxMessage)
        /// Messages behind this one have to be read first.
        case load(after: Int64)
        case nothing
    }

    /// The oldest that are not under way, by their sequence.
    private(set) var waiting = CircularBuffer<OutboxMessage>()
    var underWay = 0
    /// The newest that ever stood here: what the database has behind it was never read.
    private(set) var last: Int64 = 0
    /// True if the database has messages behind ``last``.
    var hasMore = false
    var isLoading = false
    /// Until when nothing is carried, since the oldest message was refused.
    var heldUntil: NIODeadline?
    /// The time when the oldest message was refused first.
    var refusedSince: NIODeadline?

    var isIdle: Bool { self.waiting.isEmpty && self.underWay == 0 && !self.hasMore }

    /// True if messages have to be read before anything more can be carried.
    var needsLoading: Bool { self.waiting.isEmpty && self.hasMore && !self.isLoading }

    /// Takes a message that is newer than all before it.
    mutating func append(_ message: OutboxMessage) {
        self.waiting.append(message)
        self.last = message.sequence
    }

    /// Takes a message that is newer than all before it, or leaves it to the database.
    /// - Returns: whether it stands here.
    mutating func append(_ message: OutboxMessage, hasRoom: Bool) -> Bool {
        guard hasRoom, !self.hasMore else {
            self.hasMore = true
            return false
        }
        self.append(message)
        return true
    }

    /// Gives what can be done now.
    /// - Parameter limit: how many may be under way.
    mutating func takeTurn(limit: Int) -> Turn {
        guard self.heldUntil == nil, self.underWay < limit else { return .nothing }
        if self.needsLoading {
            self.isLoading = true
            return .load(after: self.last)
        }
        guard let message = self.waiting.popFirst() else { return .nothing }
        self.underWay += 1
        return .message(message)
    }

    /// Takes a message back that was under way, at its place.
    mutating func putBack(_ message: OutboxMessage) {
        let place = self.waiting.firstIndex { $0.sequence > message.sequence } ?? self.waiting.endIndex
        self.waiting.insert(message, at: place)
    }

    mutating func popFirst() -> OutboxMessage? { self.waiting.popFirst() }

    /// Takes messages out of those that wait.
    /// - Returns: what they cost.
    mutating func remove(where isMeant: (OutboxMessage) -> Bool) -> Int {
        let cost = self.waiting.reduce(0) { isMeant($1) ? $0 + $1.cost : $0 }
        if cost > 0 { self.waiting = CircularBuffer(self.waiting.filter { !isMeant($0) }) }
        return cost
    }
}
