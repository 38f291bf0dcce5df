public import CastWire

/// What `routing` in `gateway.yaml` says about handlers in general.
public struct RouterSettings: Hashable, Sendable {
    /// What happens to a message that no handler takes.
    public enum Default: String, Hashable, Sendable, CaseIterable {
        /// It goes to the peer.
        case forward
        /// It is refused.
        case reject
    }

    /// What happens to a message that no handler takes.
    public var defaultAction: Default
    /// How long a filter may defer.
    public var filterDeadline: Duration
    /// How long an owner may defer.
    public var handleDeadline: Duration
    /// What happens when a handler fails.
    public var onFailure: FailurePolicy
    /// How many messages of one flow may wait behind a deferred one.
    public var flowLimit: Int
    /// How many payload bytes of one flow may wait behind a deferred one.
    public var flowByteLimit: Int
    /// Where the router's messages are counted; nil counts none.
    public var metering: MessageMetering?

    /// Takes the defaults where nothing is said.
    public init(
        defaultAction: Default = .forward, filterDeadline: Duration = .milliseconds(250),
        handleDeadline: Duration = .seconds(1), onFailure: FailurePolicy = .open, flowLimit: Int = 256,
        flowByteLimit: Int = 1 << 20, metering: MessageMetering? = nil
    ) {
        self.defaultAction = defaultAction
        self.filterDeadline = filterDeadline
        self.handleDeadline = handleDeadline
        self.onFailure = onFailure
        self.flowLimit = flowLimit
        self.flowByteLimit = flowByteLimit
        self.metering = metering
    }

    /// How long a claim may defer.
    func deadline(of claim: Claim) -> Duration {
        claim.deadline ?? (claim.phase == .filter ? self.filterDeadline : self.handleDeadline)
    }
}

extension MessageRouter {
    /// A payload as text for the log, with its secrets hidden.
    public typealias PayloadText = @Sendable (CastMessage.Payload) -> String?
}
