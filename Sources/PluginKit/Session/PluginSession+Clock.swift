import Glibc
import Synchronization

extension PluginSession {
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
        let isTest = self.state.withLock { $0.testTime != nil }
        guard isTest else { return try await Task.sleep(for: duration, tolerance: .zero) }
        let serial = self.state.withLock { state in
            state.lastSerial += 1
            return state.lastSerial
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let quiet: [QuietWaiter] = self.state.withLock { state in
                    let due = (state.testTime ?? PluginInstant(milliseconds: 0)).advanced(by: duration)
                    state.timers.add(serial, due: due, continuation)
                    state.busy -= 1
                    return state.takeQuietWaiters()
                }
                if Task.isCancelled { self.abandon(serial) }
                for waiter in quiet { waiter.resume() }
            }
        } onCancel: {
            self.abandon(serial)
        }
    }

    private func abandon(_ serial: Int) {
        let continuation = self.state.withLock { state in
            let continuation = state.timers.remove(serial)
            if continuation != nil { state.busy += 1 }
            return continuation
        }
        continuation?.resume(throwing: CancellationError())
    }

    /// Moves the time of a test as far as the next timer that is due, and comes back when nothing runs any more.
    /// - Returns: what time it is then. Before what was asked for there may be more to do.
    func advance(to milliseconds: Int) async -> PluginInstant {
        let target = PluginInstant(milliseconds: milliseconds)
        _ = await self.quiet(.nothingRuns)
        typealias Step = (PluginInstant, CheckedContinuation<Void, any Error>?)
        let (time, continuation): Step = self.state.withLock { state in
            let timer = state.timers.popFirst(until: target)
            let time = max(state.testTime ?? target, timer?.due ?? target)
            state.testTime = time
            if timer != nil { state.busy += 1 }
            return (time, timer?.continuation)
        }
        if let continuation {
            continuation.resume()
            _ = await self.quiet(.nothingRuns)
        }
        return time
    }

    /// Waits until it is quiet. A job that waits for messages does nothing else meanwhile.
    /// - Parameter limit: how long at most; nil for as long as it takes.
    /// - Returns: false when the limit came first.
    func quiet(_ condition: QuietWaiter.Condition, within limit: Duration? = nil) async -> Bool {
        let serial = self.state.withLock { state in
            state.lastSerial += 1
            return state.lastSerial
        }
        let alarm = limit.map { limit in
            Task.immediate {
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                self.giveUp(serial)
            }
        }
        defer { alarm?.cancel() }
        let isJob = condition == .noMessages
        return await withCheckedContinuation { continuation in
            let quiet: [QuietWaiter] = self.state.withLock { state in
                let waiter = QuietWaiter(serial: serial, condition: condition, continuation)
                if isJob { state.busy -= 1 }
                state.quietWaiters.append(waiter)
                return state.takeQuietWaiters()
            }
            for waiter in quiet { waiter.resume() }
        }
    }

    private func giveUp(_ serial: Int) {
        let waiter = self.state.withLock { state -> QuietWaiter? in
            guard let index = state.quietWaiters.firstIndex(where: { $0.serial == serial }) else { return nil }
            let waiter = state.quietWaiters.remove(at: index)
            if waiter.condition == .noMessages { state.busy += 1 }
            return waiter
        }
        waiter?.resume(false)
    }

    /// Does something later. The task counts as a job, so that a test's clock waits for it.
    func after(_ delay: Duration, _ action: @escaping @Sendable () async -> Void) -> PluginTimer {
        self.state.withLock { $0.busy += 1 }
        let task = Task.immediate {
            if (try? await self.sleep(for: delay)) != nil { await action() }
            let quiet = self.state.withLock { state in
                state.busy -= 1
                return state.takeQuietWaiters()
            }
            for waiter in quiet { waiter.resume() }
        }
        return PluginTimer(task)
    }
}

/// A caller that waits until nothing more happens by itself.
struct QuietWaiter: Sendable {
    /// What counts as quiet.
    enum Condition: Sendable {
        /// Every message is decided.
        case noMessages
        /// No job does anything but wait.
        case nothingRuns
    }

    let serial: Int
    let condition: Condition
    private let continuation: CheckedContinuation<Bool, Never>

    init(serial: Int, condition: Condition, _ continuation: CheckedContinuation<Bool, Never>) {
        self.serial = serial
        self.condition = condition
        self.continuation = continuation
    }

    /// It is quiet, or (false) the time for waiting is over.
    func resume(_ isQuiet: Bool = true) {
        self.continuation.resume(returning: isQuiet)
    }
}

extension PluginSession.State {
    /// True when it is as quiet as asked for.
    func isQuiet(_ condition: QuietWaiter.Condition) -> Bool {
        switch condition {
        case .noMessages: self.flows.messageFlows == 0 && self.deferred.isEmpty
        case .nothingRuns: self.busy <= 0
        }
    }

    /// Takes out those for whom it is quiet.
    mutating func takeQuietWaiters() -> [QuietWaiter] {
        guard !self.quietWaiters.isEmpty else { return [] }
        // A job that waited for messages runs from now on, so it is not quiet for the others.
        let jobs = self.take(.noMessages)
        self.busy += jobs.count
        return jobs + self.take(.nothingRuns)
    }

    private mutating func take(_ condition: QuietWaiter.Condition) -> [QuietWaiter] {
        guard self.isQuiet(condition) else { return [] }
        defer { self.quietWaiters.removeAll { $0.condition == condition } }
        return self.quietWaiters.filter { $0.condition == condition }
    }
}

/// The callers that wait for a moment, under a clock that a test moves.
struct TimerQueue {
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
