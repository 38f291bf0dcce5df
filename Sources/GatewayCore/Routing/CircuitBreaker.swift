import NIOCore

/// Stops asking a handler that keeps failing, and tries it again later.
///
/// Opens on at least five failures that are at least half of the calls of the last minute; after thirty seconds one
/// call goes through as a probe, and its outcome decides.
struct CircuitBreaker {
    private enum State {
        case closed
        case open(until: NIODeadline)
        case probing
    }

    private static let window = TimeAmount.seconds(60)
    private static let pause = TimeAmount.seconds(30)
    private static let minimumFailures = 5

    private var state = State.closed
    private var windowStart: NIODeadline
    private var calls = 0
    private var failures = 0

    /// Whether the handler is not asked at present.
    var isOpen: Bool {
        if case .closed = self.state { false } else { true }
    }

    init(at now: NIODeadline) {
        self.windowStart = now
    }

    /// True when the handler may be asked now.
    mutating func allowsCall(at now: NIODeadline) -> Bool {
        switch self.state {
        case .closed: return true
        case .probing: return false
        case .open(let until):
            guard now >= until else { return false }
            self.state = .probing
            return true
        }
    }

    mutating func succeeded(at now: NIODeadline) {
        if case .probing = self.state { self = CircuitBreaker(at: now) }
        self.count(failed: false, at: now)
    }

    /// - Returns: true when this failure opened the breaker.
    mutating func failed(at now: NIODeadline) -> Bool {
        if case .probing = self.state {
            self.state = .open(until: now + Self.pause)
            return true
        }
        self.count(failed: true, at: now)
        guard case .closed = self.state, self.failures >= Self.minimumFailures, self.failures * 2 >= self.calls else {
            return false
        }
        self.state = .open(until: now + Self.pause)
        return true
    }

    /// The call ended without an outcome, because its connection went away.
    mutating func abandoned(at now: NIODeadline) {
        if case .probing = self.state { self.state = .open(until: now) }
    }

    private mutating func count(failed: Bool, at now: NIODeadline) {
        if now - self.windowStart > Self.window {
            self.windowStart = now
            self.calls = 0
            self.failures = 0
        }
        self.calls += 1
        if failed { self.failures += 1 }
    }
}
