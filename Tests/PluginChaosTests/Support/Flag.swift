import Synchronization

/// Whether something has happened yet.
final class Flag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { self.state.load(ordering: .acquiring) }

    func set() { self.state.store(true, ordering: .releasing) }
}
