import NIOCore

/// One timer that is set again and again, on one event loop.
final class LoopTimer {
    private let eventLoop: any EventLoop
    private var scheduled: Scheduled<Void>?
    private(set) var deadline: NIODeadline?
    /// Tells which call of ``set(until:_:)`` counts: a task that is due in the turn of its cancellation runs all the same.
    private var generation = 0

    init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Calls back then; an earlier deadline does not count any more.
    func set(until deadline: NIODeadline, _ body: @escaping () -> Void) {
        self.cancel()
        self.deadline = deadline
        let timer = NIOLoopBound((timer: self, generation: self.generation, body: body), eventLoop: self.eventLoop)
        self.scheduled = self.eventLoop.scheduleTask(deadline: deadline) {
            guard timer.value.generation == timer.value.timer.generation else { return }
            timer.value.timer.deadline = nil
            timer.value.body()
        }
    }

    func cancel() {
        self.generation &+= 1
        self.scheduled?.cancel()
        self.scheduled = nil
        self.deadline = nil
    }
}
