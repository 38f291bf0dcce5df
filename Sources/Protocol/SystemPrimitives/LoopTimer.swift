package import NIOCore

/// One timer that is set again and again, on one event loop.
package final class LoopTimer {
    private let eventLoop: any EventLoop
    private var scheduled: Scheduled<Void>?
    /// When it calls back; nil while it is not set.
    package private(set) var deadline: NIODeadline?
    /// Tells which call of ``set(until:_:)`` counts: a task that is due in the turn of its cancellation runs all the same.
    private var generation = 0

    /// - Parameter eventLoop: where it is used.
    package init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Calls back then; an earlier deadline does not count any more.
    package func set(until deadline: NIODeadline, _ body: @escaping () -> Void) {
        self.cancel()
        self.deadline = deadline
        let timer = NIOLoopBound((timer: self, generation: self.generation, body: body), eventLoop: self.eventLoop)
        self.scheduled = self.eventLoop.scheduleTask(deadline: deadline) {
            guard timer.value.generation == timer.value.timer.generation else { return }
            timer.value.timer.deadline = nil
            timer.value.body()
        }
    }

    /// Does not call back.
    package func cancel() {
        self.generation &+= 1
        self.scheduled?.cancel()
        self.scheduled = nil
        self.deadline = nil
    }
}
