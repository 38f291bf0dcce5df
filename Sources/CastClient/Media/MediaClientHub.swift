import Synchronization

/// What a media client shows to other threads: the newest of what it knows, and its events.
final class MediaClientHub: Sendable {
    private struct State {
        var snapshot = MediaSnapshot()
        var queue: MediaQueue
        var nextSubscriber = 0
        var subscribers: [Int: AsyncStream<MediaEvent>.Continuation] = [:]
        var isOver = false
    }

    private let state: Mutex<State>

    init(queue: MediaQueue) {
        self.state = Mutex(State(queue: queue))
    }

    var snapshot: MediaSnapshot { self.state.withLock { $0.snapshot } }
    var queue: MediaQueue { self.state.withLock { $0.queue } }

    func update(_ snapshot: MediaSnapshot, queue: MediaQueue) {
        self.state.withLock { state in
            state.snapshot = snapshot
            state.queue = queue
        }
    }

    func publish(_ event: MediaEvent) {
        let subscribers = self.state.withLock { Array($0.subscribers.values) }
        for subscriber in subscribers { subscriber.yield(event) }
    }

    func subscribe(limit: Int) -> AsyncStream<MediaEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MediaEvent.self, bufferingPolicy: .bufferingNewest(limit))
        let id = self.state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = continuation
            return state.nextSubscriber
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: id) }
        }
        return stream
    }

    func finish() {
        let subscribers = self.state.withLock { state in
            state.isOver = true
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }
}
