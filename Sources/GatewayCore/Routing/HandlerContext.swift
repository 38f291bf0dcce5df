public import Logging

/// What a handler may touch while it looks at one message.
public struct HandlerContext {
    /// The claim that matched.
    public let claim: Claim
    /// How long a deferred verdict may take.
    public let deadline: Duration
    /// Where the handler's own log lines go; carries the device and the handler's name.
    public var logger: Logger {
        var logger = self.base
        logger[metadataKey: "handler"] = "\(self.handlerName)"
        return logger
    }

    private let base: Logger
    private let handlerName: String
    private let makeDeferral: () -> Deferral

    init(
        _ entry: HandlerTable.Entry, deadline: Duration, logger: Logger, makeDeferral: @escaping () -> Deferral
    ) {
        self.claim = entry.claim
        self.deadline = deadline
        self.base = logger
        self.handlerName = entry.handler.name
        self.makeDeferral = makeDeferral
    }

    /// Takes the right to decide later. The handler must then return ``Verdict/deferred``.
    ///
    /// Later messages of the same flow wait until the deferral is completed or its deadline passes.
    public func deferral() -> Deferral {
        self.makeDeferral()
    }
}
