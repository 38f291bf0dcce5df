import Synchronization

/// How casting stands as a whole, in the four words of the Cast SDKs (`CastState`, `GCKCastState`).
public enum CastState: String, Hashable, Sendable, CaseIterable {
    /// No real device is listed.
    case noDevicesAvailable = "no_devices_available"
    /// There are devices, and no session with any of them.
    case notConnected = "not_connected"
    /// A session is being started or resumed, or looks for its device.
    case connecting
    /// The app of a session can be spoken to.
    case connected

    /// What follows from what there is; of several sessions the one that is furthest counts.
    /// - Parameters:
    ///   - hasDevices: whether a real device is listed.
    ///   - sessions: how the gateway's own sessions stand. One that is suspended, or being ended, counts as none.
    public init(hasDevices: Bool, sessions: some Sequence<SessionConnectionState>) {
        var state = hasDevices ? Self.notConnected : .noDevicesAvailable
        for session in sessions {
            switch session {
            case .connected: state = .connected
            case .connecting: if state != .connected { state = .connecting }
            case .disconnecting, .disconnected: break
            }
        }
        self = state
    }
}

/// Follows how casting stands as a whole, and tells of its changes: the source of `gateway.cast_state`.
///
/// It is told of every event on its way to the subscribers, and looks at those of the device list and of the gateway's own sessions.
/// Events are published while the book is held, so that they come in their order from any thread. A short outage that sessions do
/// not tell of is not told here either.
public final class CastStateTracker: Sendable {
    private struct State {
        var deviceCount = 0
        var sessions: [Int: SessionConnectionState] = [:]
        /// The state that was published last; nil until ``CastStateTracker/begin(deviceCount:)``.
        var told: CastState?
        var publish: @Sendable (GatewayEvent) -> Void = { _ in }
    }

    private let state = Mutex(State())

    init() {}

    /// Sets what takes the events.
    func attach(_ publish: @escaping @Sendable (GatewayEvent) -> Void) {
        self.state.withLock { $0.publish = publish }
    }

    /// Tells how it stands, and from now on whenever that changes.
    /// - Parameter deviceCount: how many devices are listed.
    public func begin(deviceCount: Int) {
        self.state.withLock { state in
            state.deviceCount = deviceCount
            self.tell(&state, isFirst: true)
        }
    }

    /// Takes an event; most are none of its business.
    func note(_ event: GatewayEvent) {
        switch event {
        case .deviceListDidUpdate(let count):
            self.state.withLock { state in
                state.deviceCount = count
                self.tell(&state)
            }
        case .castSession(let facts, let change):
            self.state.withLock { state in
                state.sessions[facts.number] = change.isEnd ? nil : facts.state
                self.tell(&state)
            }
        default: break
        }
    }

    private func tell(_ state: inout State, isFirst: Bool = false) {
        guard isFirst || state.told != nil else { return }
        let now = CastState(hasDevices: state.deviceCount > 0, sessions: state.sessions.values)
        let previous = state.told
        guard now != previous else { return }
        state.told = now
        state.publish(.castState(now, previous: previous))
    }
}

extension CastSessionChange {
    /// Whether the session is not there any more.
    fileprivate var isEnd: Bool {
        switch self {
        case .didEnd, .didFailToStart, .didFailToResume: true
        default: false
        }
    }
}
