import NIOCore

/// Counts the messages of a round: which may be sent, and how long the answers took. For one event loop.
struct Pace {
    private let count: Int
    private let began = NIODeadline.now()
    private var sent = 0
    private var latencies: [Int64] = []

    init(count: Int) {
        self.count = count
        self.latencies.reserveCapacity(count)
    }

    /// Whether another message may be sent; it counts as sent then.
    mutating func takesOne() -> Bool {
        guard self.sent < self.count else { return false }
        self.sent += 1
        return true
    }

    /// Takes an answer to what was sent at this instant.
    /// - Returns: the round when it was the last one.
    mutating func answered(since instant: NIODeadline) -> Round? {
        let now = NIODeadline.now()
        self.latencies.append((now - instant).nanoseconds)
        guard self.latencies.count == self.count else { return nil }
        return Round(latencies: self.latencies, elapsed: (now - self.began).nanoseconds)
    }
}
