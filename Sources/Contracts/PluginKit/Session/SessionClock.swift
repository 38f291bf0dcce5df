import Glibc
import Synchronization

/// Time as a session's plugin sees it: the machine's, or a test's that stands still until it is moved.
final class SessionClock: Sendable {
    private struct State {
        /// What time a test says it is; nil for the machine's own.
        var testTime: PluginInstant?
        var timers = TimerQueue()
        var lastSerial = 0
    }

    private let state = Mutex(State())
    private let activity: SessionActivity

    init(activity: SessionActivity) {
        self.activity = activity
    }

    /// Follows a test's time from now on.
    func follow(_ time: PluginInstant) {
        self.state.withLock { $0.testTime = time }
    }

    /// Whether a test moves the time.
    var isTest: Bool { self.state.withLock { $0.testTime != nil } }

    /// What time it is.
    var now: PluginInstant {
        if let time = self.state.withLock({ $0.testTime }) { return time }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return PluginInstant(milliseconds: time.tv_sec * 1_000 + time.tv_nsec / 1_000_000)
    }

    /// Waits for so long.
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(for duration: Duration) async throws {
        guard self.isTest else { return try await Task.sleep(for: duration, tolerance: .zero) }
        let serial = self.state.withLock { state in
            state.lastSerial += 1
            return state.lastSerial
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                self.state.withLock { state in
                    let due = (state.testTime ?? PluginInstant(milliseconds: 0)).advanced(by: duration)
                    state.timers.add(serial, due: due, continuation)
                }
                let quiet = self.activity.pause()
                if Task.isCancelled { self.abandon(serial) }
                for waiter in quiet { waiter.resume() }
            }
        } onCancel: {
            self.abandon(serial)
        }
    }

    private func abandon(_ serial: Int) {
        guard let continuation = self.state.withLock({ $0.timers.remove(serial) }) else { return }
        self.activity.resume()
        continuation.resume(throwing: CancellationError())
    }

    /// Moves the time of a test as far as the next timer that is due, and comes back when nothing runs any more.
    /// - Returns: what time it is then. Before what was asked for there may be more to do.
    func advance(to milliseconds: Int) async -> PluginInstant {
        let target = PluginInstant(milliseconds: milliseconds)
        await self.activity.quiet(.nothingRuns)
        typealias Step = (PluginInstant, CheckedContinuation<Void, any Error>?)
        let (time, continuation): Step = self.state.withLock { state in
            let timer = state.timers.popFirst(until: target)
            let time = max(state.testTime ?? target, timer?.due ?? target)
            state.testTime = time
            return (time, timer?.continuation)
        }
        if let continuation {
            self.activity.resume()
            continuation.resume()
            await self.activity.quiet(.nothingRuns)
        }
        return time
    }

    /// Does something later. The task counts as a job, so that a test's clock waits for it.
    func after(_ delay: Duration, _ action: @escaping @Sendable () async -> Void) -> PluginTimer {
        self.activity.resume()
        let task = Task.immediate {
            if (try? await self.sleep(for: delay)) != nil { await action() }
            for waiter in self.activity.pause() { waiter.resume() }
        }
        return PluginTimer(task)
    }
}

/// The callers that wait for a moment, under a clock that a test moves.
private struct TimerQueue {
    private struct Entry {
        let due: PluginInstant
        let serial: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private var entries: [Entry] = []

    mutating func add(_ serial: Int, due: PluginInstant, _ continuation: CheckedContinuation<Void, any Error>) {
        let index = self.entries.firstIndex { $0.due > due } ?? self.entries.endIndex
        self.entries.insert(Entry(due: due, serial: serial, continuation: continuation), at: index)
    }

    /// The next that is due by then.
    mutating func popFirst(
        until limit: PluginInstant
    ) -> (due: PluginInstant, continuation: CheckedContinuation<Void, any Error>)? {
        guard let first = self.entries.first, first.due <= limit else { return nil }
        self.entries.removeFirst()
        return (first.due, first.continuation)
    }

    mutating func remove(_ serial: Int) -> CheckedContinuation<Void, any Error>? {
        guard let index = self.entries.firstIndex(where: { $0.serial == serial }) else { return nil }
        return self.entries.remove(at: index).continuation
    }
}
