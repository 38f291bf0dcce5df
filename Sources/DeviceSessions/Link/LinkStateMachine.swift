import NIOCore

/// When to dial a device, when to try again, and when to give a channel up on which nothing is answered.
///
/// No timer and no channel: its owner says what happened and does what it is told.
struct LinkStateMachine {
    /// What the owner does.
    enum Action: Equatable {
        case none
        case dial
        /// Calls ``timerFired(at:)`` then; an earlier such order is void.
        case wait(until: NIODeadline)
        /// Closes the channel for this reason.
        case close(String)
    }

    private enum State: Equatable {
        case idle
        case dialing
        /// TLS stands; the device has not answered yet.
        case connected(until: NIODeadline)
        case online(since: NIODeadline)
        case waiting(until: NIODeadline)
        case stopped
    }

    /// A device that answers heartbeats but not its first request within this is dialled anew (protocol notes, 7).
    static let answerTimeout = TimeAmount.seconds(10)
    /// Only a device that stays for this long is dialled at the shortest pause again; one that answers and hangs up
    /// at once would otherwise be dialled without end.
    static let stableTime = TimeAmount.seconds(10)

    private var state = State.idle
    private var backoff: Backoff

    init(backoff: Backoff) {
        self.backoff = backoff
    }

    var isOnline: Bool { if case .online = self.state { true } else { false } }
    var isStopped: Bool { self.state == .stopped }

    var isConnected: Bool {
        switch self.state {
        case .connected, .online: true
        case .idle, .dialing, .waiting, .stopped: false
        }
    }

    mutating func start() -> Action {
        guard self.state == .idle else { return .none }
        self.state = .dialing
        return .dial
    }

    /// TLS stands.
    mutating func connected(at now: NIODeadline) -> Action {
        guard self.state == .dialing else { return self.state == .stopped ? .close("the gateway stops") : .none }
        let until = now + Self.answerTimeout
        self.state = .connected(until: until)
        return .wait(until: until)
    }

    /// The device answered its first request, so it is really there.
    mutating func answered(at now: NIODeadline) {
        guard case .connected = self.state else { return }
        self.state = .online(since: now)
    }

    /// Dialling failed, or the channel is gone.
    mutating func lost(at now: NIODeadline) -> Action {
        switch self.state {
        case .online(let since) where now - since >= Self.stableTime: self.backoff.reset()
        case .dialing, .connected, .online: break
        case .idle, .waiting, .stopped: return .none
        }
        let until = now + self.backoff.next()
        self.state = .waiting(until: until)
        return .wait(until: until)
    }

    mutating func timerFired(at now: NIODeadline) -> Action {
        switch self.state {
        case .waiting(let until) where now >= until:
            self.state = .dialing
            return .dial
        case .connected(let until) where now >= until: return .close("the device does not answer")
        default: return .none
        }
    }

    /// The device is to be found elsewhere: what stood or was tried is void, and the owner has hung up.
    mutating func redial() -> Action {
        guard self.state != .idle, self.state != .stopped else { return .none }
        self.backoff.reset()
        self.state = .dialing
        return .dial
    }

    /// Paces later attempts in another way.
    mutating func pace(_ backoff: Backoff) {
        self.backoff = backoff
    }

    mutating func stop() -> Action {
        defer { self.state = .stopped }
        return self.isConnected ? .close("the gateway stops") : .none
    }
}
