import Synchronization
import SystemPrimitives

/// Tells what goes by the time of day that all of it is to be judged anew: the clock was set, or the operator wants it so.
///
/// Timers count the time that passes, so one that waits for a time of day fires at the wrong moment once the clock is set.
public final class ClockSteps: Sendable {
    private struct State {
        var nextID: UInt64 = 0
        var observers: [UInt64: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Makes one that nothing follows yet.
    public init() {}

    /// Has everything judged anew that follows the clock.
    public func announce() {
        for observer in self.state.withLock({ $0.observers }).values { observer() }
    }

    /// Calls back for every announcement, on any thread, until the observation is cancelled or let go of.
    /// - Parameter callback: must not block.
    public func observe(_ callback: @escaping @Sendable () -> Void) -> ClockObservation {
        let id = self.state.withLock { state in
            state.nextID += 1
            state.observers[state.nextID] = callback
            return state.nextID
        }
        return ClockObservation { [weak self] in
            // What the callback holds goes after the lock.
            _ = self?.state.withLock { $0.observers.removeValue(forKey: id) }
        }
    }

    /// Does something again and again, after an interval or an announcement, whichever comes first, until the task is cancelled.
    /// An announcement that comes meanwhile has it done once more.
    public func repeating(
        every interval: Duration, by clock: any Clock<Duration> = ContinuousClock(), _ body: () async -> Void
    ) async {
        var wake = Wake(self)
        while !Task.isCancelled {
            let (steps, clock) = (wake.steps, clock)
            await race {
                try? await clock.sleep(for: interval)
            } against: {
                for await _ in steps { return }
            }
            if Task.isCancelled { return }
            wake = Wake(self)
            await body()
        }
    }

    /// Announcements from now on. A stream that was waited for and cancelled has ended, so each wait has one of its own.
    private struct Wake {
        let steps: AsyncStream<Void>
        private let observation: ClockObservation

        init(_ clock: ClockSteps) {
            let (steps, input) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            self.steps = steps
            self.observation = clock.observe { input.yield() }
        }
    }
}

/// Keeps a callback of ``ClockSteps`` as long as it lives.
public final class ClockObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Calls back no more.
    public func cancel() { self.end() }

    deinit { self.end() }
}
