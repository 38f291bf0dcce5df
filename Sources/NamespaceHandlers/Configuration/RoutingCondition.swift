public import GatewayConfig
public import GatewayCore

/// `routing.rules[].when`: which messages a rule is about. A part that is nil matches everything.
public struct RoutingCondition: Sendable, Equatable {
    /// The namespace of the message.
    public var namespace: NamespacePattern?
    /// The `type` of its JSON payload, exactly.
    public var type: String?
    /// The app the message launches or belongs to.
    public var app: String?
    /// Matches when the app the message launches or belongs to is none of these.
    public var appNotIn: [String]?
    /// The address of the sender.
    public var sender: AddressRange?
    /// The name of the virtual device.
    public var device: String?

    /// Makes a condition from its parts.
    public init(
        namespace: NamespacePattern? = nil,
        type: String? = nil,
        app: String? = nil,
        appNotIn: [String]? = nil,
        sender: AddressRange? = nil,
        device: String? = nil
    ) {
        self.namespace = namespace
        self.type = type
        self.app = app
        self.appNotIn = appNotIn
        self.sender = sender
        self.device = device
    }
}
