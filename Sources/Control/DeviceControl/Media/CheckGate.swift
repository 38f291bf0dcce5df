import Synchronization

/// How many checks of media are under way: each has connections of its own, so there are few at once.
final class CheckGate: Sendable {
    private static let limit = 4
    private let count = Mutex(0)

    /// Begins a check.
    /// - Returns: false when there are as many as may be. What has begun has to ``leave()``.
    func enter() -> Bool {
        self.count.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
    }

    /// Ends a check.
    func leave() { self.count.withLock { $0 -= 1 } }
}
