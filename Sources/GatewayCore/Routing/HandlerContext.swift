public import Logging

/// What a handler may touch while it looks at one message.
public struct HandlerContext {
    /// The claim that matched.
    public let claim: Claim
    /// How long a deferred verdict may take.
    public let deadline: Duration
    /// Where the handler's own log lines go; carries the device and the handler's name.
    public let logger: Logger

    private let makeDeferral: () -> Deferral

    init(claim: Claim, deadline: Duration, logger: Logger, makeDeferral: @escaping () -> Deferral) {
        self.claim = claim
        self.deadline = deadline
        self.logger = logger
        self.makeDeferral = makeDeferral
    }

    /// Takes the right to decide later. The handler must then return ``Verdict/deferred``.
    ///
    /// Later messages of the same flow wait until the deferral is completed or its deadline passes.
    public func deferral() -> Deferral {
        self.makeDeferral()
    }
}
