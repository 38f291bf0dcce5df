public import Logging

/// What a handler may touch while it looks at one message.
public struct HandlerContext {
    /// The claim that matched.
    public var claim: Claim { self.entry.claim }
    /// How long a deferred verdict may take.
    public let deadline: Duration
    /// Where the handler's own log lines go; carries the device and the handler's name.
    public var logger: Logger {
        var logger = self.base
        logger[metadataKey: "handler"] = "\(self.entry.handler.name)"
        return logger
    }

    private let base: Logger
    private let entry: HandlerTable.Entry
    private let traversal: ChainTraversal
    private let router: RouterHandle
    private let turn: Int

    /// - Parameter deadline: zero for observers, of whose deferrals nothing comes.
    init(
        _ entry: HandlerTable.Entry, of traversal: ChainTraversal, deadline: Duration, logger: Logger,
        router: RouterHandle
    ) {
        self.entry = entry
        self.deadline = deadline
        self.base = logger
        self.traversal = traversal
        self.router = router
        self.turn = traversal.turn
    }

    /// What runs behind the virtual device. Ask while the handler looks at the message, on its event loop.
    public var running: RunningApps { self.router.router?.running ?? .unknown }

    /// Takes the right to decide later. The handler must then return ``Verdict/deferred``.
    ///
    /// Later messages of the same flow wait until the deferral is completed or its deadline passes.
    public func deferral() -> Deferral {
        let isCurrent = self.entry.claim.phase != .observe && self.turn == self.traversal.turn
        if isCurrent, let deferral = self.traversal.deferral { return deferral }
        let deferral = Deferral(of: self.traversal, router: self.router)
        if isCurrent { self.traversal.deferral = deferral }
        return deferral
    }
}
