import NIOCore

/// The use of a destination: used, left alone for a while, or not used any more. A struct state machine; knows no
/// clock.
struct DestinationPause {
    enum State: Hashable {
        case open
        case paused(until: NIODeadline)
        /// One message is carried, to see whether the destination can be reached again.
        case probing
        case disabled
    }

    /// The first pause, and the longest that a destination has not asked for.
    private static let backoff = (first: Duration.seconds(1), last: Duration.seconds(60))
    /// No pause is longer, whatever the destination asks for.
    private static let longest = Duration.seconds(86_400)

    private(set) var state = State.open
    /// The length of the next pause.
    private var next = Self.backoff.first

    /// The time when the pause is over; nil when there is none.
    var end: NIODeadline? { if case .paused(let until) = self.state { until } else { nil } }

    /// The number of messages that may be under way beside those that are.
    func room(beside underWay: Int, of limit: Int) -> Int {
        switch self.state {
        case .open: max(0, limit - underWay)
        case .probing: underWay == 0 ? 1 : 0
        case .paused, .disabled: 0
        }
    }

    /// The destination took a message, or refused that one: it can be reached.
    /// - Returns: whether it could not before.
    mutating func reached() -> Bool {
        guard self.state == .probing else { return false }
        self.state = .open
        self.next = Self.backoff.first
        return true
    }

    /// It could not be reached.
    /// - Parameters:
    ///   - retryAfter: how long it wants to be left alone.
    ///   - jitter: -1 to 1.
    /// - Returns: whether it could before.
    mutating func missed(retryAfter: Duration?, jitter: Double, at now: NIODeadline) -> Bool {
        let asked = now + TimeAmount(min(retryAfter ?? .zero, Self.longest))
        switch self.state {
        case .disabled: return false
        case .paused(let until):
            // One of those that were under way when it was lost.
            self.state = .paused(until: max(until, asked))
            return false
        case .open, .probing:
            let wasOpen = self.state == .open
            self.state = .paused(until: max(asked, now + TimeAmount(self.next * (1 + jitter / 10))))
            self.next = min(self.next * 2, Self.backoff.last)
            return wasOpen
        }
    }

    mutating func disable() { self.state = .disabled }

    /// It is to be tried again at once, by hand or since it says so.
    mutating func resume() {
        guard self.state != .open else { return }
        self.state = .probing
        self.next = Self.backoff.first
    }

    mutating func pass(to now: NIODeadline) {
        if let end = self.end, now >= end { self.state = .probing }
    }
}
