import NIOCore

/// When to dial a device, and when to try again.
///
/// No timer and no channel: its owner says what happened and does what it is told.
struct LinkStateMachine {
    /// What the owner does.
    enum Action: Equatable {
        case none
        case dial
        /// Calls ``timerFired(at:)`` then.
        case wait(until: NIODeadline)
        case close
    }

    private enum State: Equatable {
        case idle
        case dialing
        /// TLS stands; the device has not answered yet.
        case connected
        case online
        case waiting(until: NIODeadline)
        case stopped
    }

    private var state = State.idle
    private var backoff: Backoff

    init(backoff: Backoff) {
        self.backoff = backoff
    }

    var isOnline: Bool { self.state == .online }
    var isConnected: Bool { self.state == .online || self.state == .connected }

    mutating func start() -> Action {
        guard self.state == .idle else { return .none }
        self.state = .dialing
        return .dial
    }

    /// TLS stands.
    mutating func connected() -> Action {
        guard self.state == .dialing else { return self.state == .stopped ? .close : .none }
        self.state = .connected
        return .none
    }

    /// The device answered its first request, so it is really there.
    mutating func answered() {
        guard self.state == .connected else { return }
        self.state = .online
        self.backoff.reset()
    }

    /// Dialling failed, or the channel is gone.
    mutating func lost(at now: NIODeadline) -> Action {
        switch self.state {
        case .dialing, .connected, .online:
            let until = now + self.backoff.next()
            self.state = .waiting(until: until)
            return .wait(until: until)
        case .idle, .waiting, .stopped: return .none
        }
    }

    mutating func timerFired(at now: NIODeadline) -> Action {
        guard case .waiting(let until) = self.state, now >= until else { return .none }
        self.state = .dialing
        return .dial
    }

    mutating func stop() -> Action {
        defer { self.state = .stopped }
        return self.isConnected ? .close : .none
    }
}
