import NIOCore

/// Brings what was decided about deferred messages to their router, on its event loop.
final class VerdictCourier: Sendable {
    /// The router dies with its owner, and whatever comes later is ignored.
    private struct WeakRouter {
        weak var router: MessageRouter?
    }

    let eventLoop: any EventLoop
    private let recipient: NIOLoopBound<WeakRouter>

    init(to router: MessageRouter) {
        self.eventLoop = router.eventLoop
        self.recipient = NIOLoopBound(WeakRouter(router: router), eventLoop: router.eventLoop)
    }

    /// The router, while it is there; on its event loop only.
    var router: MessageRouter? { self.recipient.value.router }

    /// Hands a notice over: at once on the router's event loop, unless the router is in the middle of asking somebody.
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
