import NIOCore

/// Decides when to dial a device, when to try again, and when to give a channel up on which nothing is answered.
///
/// Holds no timer and no channel: its owner reports each event and carries out the returned action. Only ``stop()`` ends it:
/// however long a device stays away, it is dialled again.
struct LinkStateMachine {
    enum Action: Equatable {
        case none
        /// Tries the next address; calls ``unresolved()`` when there is none.
        case dial
        /// Hangs up whatever is being tried, begins a new round of addresses, and tries the first.
        case redial
        /// Calls ``timerFired(at:)`` then, in the place of an earlier deadline.
        case wait(until: NIODeadline)
        case close(String)
        /// Closes the channel of a device that does not answer, without waiting for its farewell.
        case closeSilent
        /// Asks the device for its status, and calls ``timerFired(at:)`` then.
        case probe(until: NIODeadline)
        /// Dials it beside the channel, so that there is another should this one be lost; calls ``timerFired(at:)`` then.
        case dialStandby(until: NIODeadline)
    }

    private enum State: Equatable {
        case idle
        case unresolved
        case dialing(since: NIODeadline)
        /// TLS stands; the device has not answered yet.
        case connected(since: NIODeadline)
        case online(since: NIODeadline)
        case waiting(until: NIODeadline)
        case stopped
    }

    /// A device that answers heartbeats but not its first request within this is dialled anew (protocol notes, 7).
    static let answerTimeout = TimeAmount.seconds(10)
    /// Only a device that stays for this long is dialled at the shortest pause again; one that answers and hangs up
    /// at once would otherwise be dialled without end.
    static let stableTime = TimeAmount.seconds(10)
    /// A device that announces itself while it is dialled in vain for this long is dialled anew: what was sent to it
    /// before is lost, and would be repeated too late.
    static let dialPatience = TimeAmount.milliseconds(250)
    /// The same for a channel that stands and on which nothing was answered.
    static let answerPatience = TimeAmount.seconds(1)
    /// The time a device has to show that it is still there, when there is reason to doubt it.
    static let probeTimeout = TimeAmount.seconds(2)
    /// The same for a device that has just made itself heard: it is awake, so what it does not answer is lost.
    static let announcedProbeTimeout = TimeAmount.milliseconds(500)

    /// The time within which a device that is there mostly answers; only one that has not is dialled beside its
    /// channel.
    static let standbyPatience = TimeAmount.milliseconds(100)

    /// The least time that TCP has to reach the device. What the network loses is sent again only after a second, and
    /// then after two and four: a new attempt is heard sooner by a device that comes back.
    static let minimumConnectPatience = TimeAmount.seconds(1)

    private var state = State.idle
    private var backoff: Backoff
    /// Until when a device that is online has to answer; nil when nothing is asked.
    private var probeEnd: NIODeadline?
    /// The time when it is dialled beside its channel; nil when it need not be, or has been.
    private var standbyStart: NIODeadline?

    init(backoff: Backoff) {
        self.backoff = backoff
    }

    /// The time TCP may take to reach the device: little at first, and longer as the pauses grow.
    var connectPatience: TimeAmount { max(Self.minimumConnectPatience, TimeAmount(self.backoff.current)) }

    var isOnline: Bool { if case .online = self.state { true } else { false } }
    var isStopped: Bool { self.state == .stopped }
    /// True while it is not known where the device is.
    var isUnresolved: Bool { self.state == .unresolved }

    var isConnected: Bool {
        switch self.state {
        case .connected, .online: true
        case .idle, .unresolved, .dialing, .waiting, .stopped: false
        }
    }

    mutating func start(at now: NIODeadline) -> Action {
        guard self.state == .idle else { return .none }
        self.state = .dialing(since: now)
        return .dial
    }

    mutating func unresolved() {
        guard case .dialing = self.state else { return }
        self.state = .unresolved
    }

    /// An address is known now, of a device that may be silent.
    mutating func resolved(at now: NIODeadline) -> Action {
        self.state == .unresolved ? self.wake(at: now) : .none
    }

    mutating func connected(at now: NIODeadline) -> Action {
        guard case .dialing = self.state else { return self.state == .stopped ? .close("the gateway stops") : .none }
        self.state = .connected(since: now)
        return .wait(until: now + Self.answerTimeout)
    }

    /// The device answered a request, so it is really there.
    mutating func answered(at now: NIODeadline) {
        self.probeEnd = nil
        guard case .connected = self.state else { return }
        self.state = .online(since: now)
    }

    /// Handles a failed dial, or the loss of the channel.
    /// - Parameter hasAnother: whether this round has another address; it is tried at once.
    mutating func lost(at now: NIODeadline, hasAnother: Bool = false) -> Action {
        self.probeEnd = nil
        var began = now
        switch self.state {
        case .online(let since): if now - since >= Self.stableTime { self.backoff.reset() }
        case .dialing where hasAnother, .connected where hasAnother:
            self.state = .dialing(since: now)
            return .dial
        // What was tried for long was pause enough.
        case .dialing(let since), .connected(let since): began = since
        case .idle, .unresolved, .waiting, .stopped: return .none
        }
        let until = max(now, began + self.backoff.next())
        self.state = .waiting(until: until)
        return .wait(until: until)
    }

    mutating func timerFired(at now: NIODeadline) -> Action {
        switch self.state {
        case .waiting(let until) where now >= until:
            self.state = .dialing(since: now)
            return .redial
        case .connected(let since) where now >= since + Self.answerTimeout: return .closeSilent
        case .online:
            guard let probeEnd else { return .none }
            if now >= probeEnd { return .closeSilent }
            guard let standbyStart, now >= standbyStart else { return .none }
            self.standbyStart = nil
            return .dialStandby(until: probeEnd)
        default: return .none
        }
    }

    /// The device was heard of, or the host has slept: it is dialled now, whatever the pause was to be.
    mutating func wake(at now: NIODeadline) -> Action {
        switch self.state {
        case .unresolved, .waiting: break
        case .dialing(let since) where now - since >= Self.dialPatience: break
        case .connected(let since) where now - since >= Self.answerPatience: break
        case .idle, .dialing, .connected, .online, .stopped: return .none
        }
        self.backoff.reset()
        self.state = .dialing(since: now)
        return .redial
    }

    /// A caller needs the device: it is dialled now, whatever the pause was to be; a channel that stands is left alone.
    mutating func wanted(at now: NIODeadline) -> Action { self.isConnected ? .none : self.wake(at: now) }

    /// True while the device is asked whether it is still there, and after that as long as it stays silent.
    var isProbing: Bool { self.probeEnd != nil }
    /// True when the time is over in which it should have shown that it is.
    func isOverdue(at now: NIODeadline) -> Bool { self.probeEnd.map { now >= $0 } ?? false }

    /// Something came from the device, so the channel stands.
    mutating func heard() {
        self.probeEnd = nil
    }

    /// There is reason to doubt that the channel still stands.
    mutating func probe(at now: NIODeadline, within patience: TimeAmount = Self.probeTimeout) -> Action {
        let until = now + patience
        guard self.isOnline, self.probeEnd.map({ until < $0 }) ?? true else { return .none }
        self.probeEnd = until
        let standbyStart = now + Self.standbyPatience
        self.standbyStart = standbyStart
        return .probe(until: min(standbyStart, until))
    }

    /// Another channel, that stands or is dialled, takes the place of the one that stood.
    mutating func replaced(at now: NIODeadline) {
        guard case .online(let since) = self.state else { return }
        if now - since >= Self.stableTime { self.backoff.reset() }
        self.probeEnd = nil
        self.state = .dialing(since: now)
    }

    /// The device is to be found elsewhere: what stood or was tried is void.
    mutating func redial(at now: NIODeadline) -> Action {
        guard self.state != .idle, self.state != .stopped else { return .none }
        self.backoff.reset()
        self.probeEnd = nil
        self.state = .dialing(since: now)
        return .redial
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

/// Pauses that double up to a limit, each shifted a little so that many gateways do not dial at once.
struct Backoff {
    private let initial: Duration
    private let maximum: Duration
    private let jitter: Double
    /// A number from -1 to 1.
    private let random: @Sendable () -> Double
    /// The pause that comes next, before it is shifted.
    private(set) var current: Duration

    init(initial: Duration, maximum: Duration, jitter: Double, random: @escaping @Sendable () -> Double) {
        self.initial = initial
        self.maximum = maximum
        self.jitter = jitter
        self.random = random
        self.current = initial
    }

    mutating func next() -> TimeAmount {
        let pause = self.current
        self.current = min(self.current * 2, self.maximum)
        return TimeAmount(pause * (1 + self.jitter * self.random()))
    }

    mutating func reset() {
        self.current = self.initial
    }
}
