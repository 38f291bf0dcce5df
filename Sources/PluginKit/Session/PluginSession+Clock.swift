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

    /// Waits until it is quiet. Whoever waits for messages is a job that does nothing else meanwhile.
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
