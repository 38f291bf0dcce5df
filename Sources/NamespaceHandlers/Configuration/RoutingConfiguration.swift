public import GatewayCore

/// `routing`: what becomes of messages before and beside the handlers.
public struct RoutingConfiguration: Sendable, Equatable {
    /// What happens to a message that no handler takes.
    public enum Fallback: String, Sendable, CaseIterable {
        /// It goes on to the target.
        case forward
        /// It is answered with an error.
        case reject
    }

    /// `default`: what happens to a message that nobody handles. Default ``Fallback/forward``.
    public var fallback: Fallback
    /// The rules in the order in which they are asked.
    public var rules: [RoutingRule]
    /// How long a filter may take. Default 250 ms.
    public var filterDeadline: Duration
    /// How long a handler may take. Default 1 s.
    public var handleDeadline: Duration
    /// What a missed deadline means. Default ``FailurePolicy/open``.
    public var onFailure: FailurePolicy

    /// Makes a configuration from its parts; each has the default of `gateway.yaml`.
    public init(
        fallback: Fallback = .forward,
        rules: [RoutingRule] = [],
        filterDeadline: Duration = .milliseconds(250),
        handleDeadline: Duration = .seconds(1),
        onFailure: FailurePolicy = .open
    ) {
        self.fallback = fallback
        self.rules = rules
        self.filterDeadline = filterDeadline
        self.handleDeadline = handleDeadline
        self.onFailure = onFailure
    }
}
