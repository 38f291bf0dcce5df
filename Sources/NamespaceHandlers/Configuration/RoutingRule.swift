/// `routing.rules[]`: one rule; the first that matches a message decides.
public struct RoutingRule: Sendable, Equatable {
    /// What a rule does with a message.
    public enum Action: String, Sendable, CaseIterable {
        /// The sender gets an error.
        case reject
        /// The message disappears.
        case drop
    }

    /// The name of the rule, in logs and in `castway route explain`.
    public var name: String
    /// Which messages it is about; every part that is given must match.
    public var condition: RoutingCondition
    /// What it does with them.
    public var action: Action
    /// The reason given in the log and, for a rejection, to the sender.
    public var reason: String?

    /// Makes a rule from its parts.
    public init(name: String, condition: RoutingCondition, action: Action, reason: String? = nil) {
        self.name = name
        self.condition = condition
        self.action = action
        self.reason = reason
    }
}
