import Synchronization

/// Names sessions one after the other, so that a sequence always meets the same names.
final class SessionNumbers: Sendable {
    private let last = Atomic<Int>(0)

    func next() -> String {
        "session-\(self.last.add(1, ordering: .relaxed).newValue)"
    }
}
