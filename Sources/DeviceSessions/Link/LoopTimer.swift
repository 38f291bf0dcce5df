import NIOCore

/// One timer that is set again and again, on one event loop.
final class LoopTimer {
    private let eventLoop: any EventLoop
    private var scheduled: Scheduled<Void>?
    private(set) var deadline: NIODeadline?
    /// Which order counts: a task that is due in the same turn as its cancellation runs all the same.
    private var order = 0

    init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Calls back then; an earlier order is void.
    func set(until deadline: NIODeadline, _ body: @escaping () -> Void) {
        self.cancel()
        self.deadline = deadline
        let timer = NIOLoopBound((timer: self, order: self.order, body: body), eventLoop: self.eventLoop)
        self.scheduled = self.eventLoop.scheduleTask(deadline: deadline) {
            guard timer.value.order == timer.value.timer.order else { return }
            timer.value.timer.deadline = nil
            timer.value.body()
        }
    }

    func cancel() {
        self.order &+= 1
        self.scheduled?.cancel()
        self.scheduled = nil
        self.deadline = nil
    }
}
