/// The state of the connection to the Avahi daemon, and what follows from what happens to it.
///
/// The daemon may be absent at the start, go and come back, and the bus may go with it. What the client library tells:
/// a client whose daemon goes fails and is of no use any more; a new one waits for the daemon by itself, as long as the
/// bus is there; without the bus none can be made, so that has to be tried again.
struct ConnectionLifecycle {
    enum State: Hashable {
        case idle
        /// A client was asked for.
        case opening
        /// There is a client and no daemon.
        case waitingForDaemon
        /// The daemon is there, and settles on the name of the host.
        case registering
        case running
        /// There is no client; the next attempt comes with the timer.
        case pausing
        case stopped
    }

    enum Event: Hashable {
        case start
        case daemonAbsent
        case daemonRegistering
        case daemonRunning
        case failed(reason: String)
        case notOpened(reason: String)
        case timer
        case stop
    }

    enum Action: Hashable {
        case open
        /// Drop the client, with everything that was made from it.
        case discard
        case wait(milliseconds: Int)
        /// Browsers can work from now on.
        case tellConnected
        /// Announcements can be made from now on.
        case tellRunning
        /// Announcements have to be withdrawn until the host has a name.
        case tellUnnamed
        case tellBlocked(reason: String)
    }

    private static let firstPause = 250
    private static let longestPause = 5000

    private(set) var state = State.idle
    private var pause = Self.firstPause
    /// The reason told last, which is not told twice.
    private var toldReason: String?

    mutating func handle(_ event: Event) -> [Action] {
        if event == .stop {
            defer { self.state = .stopped }
            return self.state == .stopped ? [] : [.discard]
        }
        guard self.state != .stopped else { return [] }
        switch event {
        case .start: return self.state == .idle ? self.open() : []
        case .timer: return self.state == .pausing ? self.open() : []
        case .daemonAbsent:
            self.state = .waitingForDaemon
            return self.block("the Avahi daemon does not run")
        case .daemonRegistering:
            let isNew = self.state != .registering && self.state != .running
            self.state = .registering
            return isNew ? self.connected() : [.tellUnnamed]
        case .daemonRunning:
            let isNew = self.state != .registering && self.state != .running
            self.state = .running
            self.pause = Self.firstPause
            return (isNew ? self.connected() : []) + [.tellRunning]
        case .failed(let reason): return self.block(reason) + [.discard, self.waitLonger()]
        case .notOpened(let reason): return self.block(reason) + [self.waitLonger()]
        case .stop: return []
        }
    }

    private mutating func open() -> [Action] {
        self.state = .opening
        return [.open]
    }

    private mutating func connected() -> [Action] {
        self.toldReason = nil
        return [.tellConnected]
    }

    private mutating func block(_ reason: String) -> [Action] {
        guard self.toldReason == nil else { return [] }
        self.toldReason = reason
        return [.tellBlocked(reason: reason)]
    }

    private mutating func waitLonger() -> Action {
        self.state = .pausing
        defer { self.pause = min(self.pause * 2, Self.longestPause) }
        return .wait(milliseconds: self.pause)
    }
}
