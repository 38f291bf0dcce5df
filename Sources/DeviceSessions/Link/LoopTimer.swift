import NIOCore

/// One timer that is set again and again, on one event loop.
final class LoopTimer {
    private let eventLoop: any EventLoop
    private var scheduled: Scheduled<Void>?
    private(set) var deadline: NIODeadline?

    init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Calls back then; an earlier order is void.
    func set(until deadline: NIODeadline, _ body: @escaping () -> Void) {
        self.cancel()
        self.deadline = deadline
        let timer = NIOLoopBound((timer: self, body: body), eventLoop: self.eventLoop)
        self.scheduled = self.eventLoop.scheduleTask(deadline: deadline) {
            timer.value.timer.deadline = nil
            timer.value.body()
        }
    }

    func cancel() {
        self.scheduled?.cancel()
        self.scheduled = nil
        self.deadline = nil
    }
}
