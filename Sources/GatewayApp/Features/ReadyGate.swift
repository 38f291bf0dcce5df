import Synchronization

/// Calls back those who wait until a feature keeps the gateway from being ready no longer.
final class ReadyGate: Sendable {
    /// Who waits; nil once it is open.
    private let waiting = Mutex<[@Sendable () -> Void]?>([])

    /// Calls back once the gate is open, at once when it is.
    func whenOpen(_ callback: @escaping @Sendable () -> Void) {
        let isOpen = self.waiting.withLock { waiting in
            waiting?.append(callback)
            return waiting == nil
        }
        if isOpen { callback() }
    }

    /// Opens the gate, for good.
    func open() {
        let callbacks = self.waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for callback in callbacks { callback() }
    }
}
