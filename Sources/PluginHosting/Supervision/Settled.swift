import Synchronization

/// Tells one who waits that something has been done.
final class Settled: Sendable {
    private struct State {
        var isSettled = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Says that it has been done.
    func settle() {
        let waiting = self.state.withLock { state in
            state.isSettled = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Waits until it has been done; one may wait.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isSettled = self.state.withLock { state in
                if !state.isSettled { state.waiting = continuation }
                return state.isSettled
            }
            if isSettled { continuation.resume() }
        }
    }
}
