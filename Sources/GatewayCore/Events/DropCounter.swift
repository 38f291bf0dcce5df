import Synchronization

/// Counts what a slow subscriber lost.
final class DropCounter: Sendable {
    private let value = Atomic<Int>(0)

    func increment() {
        self.value.add(1, ordering: .relaxed)
    }

    var count: Int { self.value.load(ordering: .relaxed) }
}
