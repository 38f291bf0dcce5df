import NIOCore

/// Stops asking a handler that keeps failing, and tries it again later.
///
/// Closed, every call goes through, and calls and failures are counted in windows of a minute. At least five failures that
/// are at least half of the window's calls open it: a handler that fails now and then stays, one that is down is not waited
/// for with every message, which would add its deadline to each. Open, no call goes through for thirty seconds. Then one
/// does as a probe; its success closes the breaker with a fresh window, its failure opens it for thirty seconds more.
/// Knows no clock: instants are passed in.
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

    /// The call ended without an outcome, because its connection went away: a probe may be made again at once.
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

/// The breakers of one router, by claim. A claim has one from its first failure on, so that the clock is not read for
/// handlers that never failed.
struct CircuitBreakers {
    private var breakers: [UInt64: CircuitBreaker] = [:]

    mutating func allowsCall(of entry: HandlerTable.Entry, at now: @autoclosure () -> NIODeadline) -> Bool {
        self.breakers[entry.id]?.allowsCall(at: now()) ?? true
    }

    mutating func succeeded(_ entry: HandlerTable.Entry, at now: @autoclosure () -> NIODeadline) {
        self.breakers[entry.id]?.succeeded(at: now())
    }

    /// - Returns: true when this failure opened the claim's breaker.
    mutating func failed(_ entry: HandlerTable.Entry, at now: NIODeadline) -> Bool {
        self.breakers[entry.id, default: CircuitBreaker(at: now)].failed(at: now)
    }

    mutating func abandoned(_ entry: HandlerTable.Entry, at now: @autoclosure () -> NIODeadline) {
        self.breakers[entry.id]?.abandoned(at: now())
    }

    /// Forgets the claims that are not in a table any more.
    mutating func keep(_ table: HandlerTable) {
        guard !self.breakers.isEmpty else { return }
        let alive = Set(table.entries.map(\.id))
        self.breakers = self.breakers.filter { alive.contains($0.key) }
    }

    /// Whether the handler of a claim is not asked at present.
    func isOpen(_ entry: HandlerTable.Entry) -> Bool { self.breakers[entry.id]?.isOpen ?? false }
}
