import Synchronization

/// The session that a transfer started.
final class StartedSession: Sendable {
    private let state = Mutex<CastSession?>(nil)

    var session: CastSession? { self.state.withLock { $0 } }

    func set(_ session: CastSession) {
        self.state.withLock { $0 = session }
    }
}
