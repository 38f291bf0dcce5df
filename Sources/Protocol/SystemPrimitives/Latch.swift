import Synchronization

/// A signal that is given once and holds from then on.
///
/// A latch begins closed. ``open()`` opens it for good: it runs the callbacks that were left so far, in their order, on the thread that
/// opens it. A callback left later runs at once. Callbacks run outside of the lock, so they may use the latch. Waiting is a callback that
/// resumes the task, so any number of tasks can wait for one latch.
package final class Latch: Sendable {
    /// The callbacks that wait; nil once the latch is open.
    private let waiting = Mutex<[@Sendable () -> Void]?>([])

    /// Makes a closed latch.
    package init() {}

    /// Opens the latch; calls after the first change nothing.
    package func open() {
        let callbacks = self.waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for callback in callbacks { callback() }
    }

    /// Calls back when the latch opens, at once if it is open.
    package func whenOpen(_ callback: @escaping @Sendable () -> Void) {
        let isOpen = self.waiting.withLock { waiting in
            waiting?.append(callback)
            return waiting == nil
        }
        if isOpen { callback() }
    }

    /// Waits until the latch is open, even in a task that is cancelled.
    package func wait() async {
        await withCheckedContinuation { continuation in self.whenOpen { continuation.resume() } }
    }

    /// Waits until the latch is open or the task is cancelled. A wait that was cancelled leaves an idle callback in the latch.
    package func waitUnlessCancelled() async {
        let (opening, input) = AsyncStream.makeStream(of: Never.self)
        self.whenOpen { input.finish() }
        for await _ in opening {}
    }
}
