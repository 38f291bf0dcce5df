import Synchronization

/// A clock that moves only when a test says so.
public final class TestClock: Clock {
    /// A moment of the clock: the time since it was made.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let offset: Duration

        /// A later moment.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: self.offset + duration) }
        /// The time between two moments.
        public func duration(to other: Instant) -> Duration { other.offset - self.offset }
        /// True when the left moment is the earlier one.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Starts at zero.
    public init() {}

    /// The present moment.
    public var now: Instant { self.state.withLock { $0.now } }
    /// Every step is exact.
    public var minimumResolution: Duration { .zero }

    /// Waits until a test has moved the clock to the deadline.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = self.state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                self.enqueue(id, Sleeper(deadline: deadline, continuation: $0))
            }
        } onCancel: {
            self.cancel(id)
        }
    }

    /// Moves the clock and wakes the tasks whose deadline has come, the earliest first.
    public func advance(by duration: Duration) {
        let due = self.state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Returns once at least so many tasks sleep, so that no test polls or guesses.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isMet = self.state.withLock { state in
                let isMet = state.sleepers.count >= count
                if !isMet { state.watchers.append((count: count, continuation: continuation)) }
                return isMet
            }
            if isMet { continuation.resume() }
        }
    }

    private func enqueue(_ id: Int, _ sleeper: Sleeper) {
        let (result, met) = self.state.withLock {
            state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
            if state.cancelled.remove(id) != nil { return (.failure(CancellationError()), []) }
            if sleeper.deadline <= state.now { return (.success(()), []) }
            state.sleepers[id] = sleeper
            let count = state.sleepers.count
            let met = state.watchers.filter { $0.count <= count }.map(\.continuation)
            state.watchers.removeAll { $0.count <= count }
            return (nil, met)
        }
        if let result { sleeper.continuation.resume(with: result) }
        for watcher in met { watcher.resume() }
    }

    private func cancel(_ id: Int) {
        let sleeper = self.state.withLock { state in
            let sleeper = state.sleepers.removeValue(forKey: id)
            // Cancelled before it began to sleep.
            if sleeper == nil { state.cancelled.insert(id) }
            return sleeper
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
