import NIOCore

/// What deferrals and timers hold of a router: they outlive it, and a verdict that comes after its end goes nowhere.
///
/// The router clears its handle in ``MessageRouter/shutdown()``. A weak reference to the router itself would give it a side
/// table, and with that every retain and release of a routed message its slow path.
final class RouterHandle: Sendable {
    let eventLoop: any EventLoop
    private let content: NIOLoopBoundBox<MessageRouter?>

    init(_ router: MessageRouter) {
        self.eventLoop = router.eventLoop
        self.content = NIOLoopBoundBox(router, eventLoop: router.eventLoop)
    }

    /// The router until its shutdown; on its event loop only.
    var router: MessageRouter? { self.content.value }

    /// Lets go of the router; on its event loop only.
    func clear() { self.content.value = nil }

    /// Hands a notice over: at once on the router's event loop, unless a handler is being asked just then.
    func deliver(_ notice: Deferral.Notice, of deferral: Deferral) {
        guard self.eventLoop.inEventLoop else {
            return self.eventLoop.execute { self.router?.take(notice, of: deferral) }
        }
        guard let router = self.router else { return }
        if router.isAsking {
            self.eventLoop.execute { self.router?.take(notice, of: deferral) }
        } else {
            router.take(notice, of: deferral)
        }
    }
}
