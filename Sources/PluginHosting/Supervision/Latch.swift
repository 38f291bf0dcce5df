import Synchronization

/// Opens once and stays open. Callers wait for it as a task or leave a callback.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var callbacks: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Opens the latch; calls after the first change nothing.
    func open() {
        let callbacks = self.state.withLock { state in
            state.isOpen = true
            defer { state.callbacks = [] }
            return state.callbacks
        }
        for callback in callbacks { callback() }
    }

    /// Calls back when the latch opens: at once when it is open.
    func whenOpen(_ callback: @escaping @Sendable () -> Void) {
        let isOpen = self.state.withLock { state in
            if !state.isOpen { state.callbacks.append(callback) }
            return state.isOpen
        }
        if isOpen { callback() }
    }

    /// Waits until the latch is open.
    func wait() async {
        await withCheckedContinuation { continuation in self.whenOpen { continuation.resume() } }
    }
}
