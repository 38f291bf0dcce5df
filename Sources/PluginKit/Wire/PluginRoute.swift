public import CastWire

/// Where a message comes from and goes to. Never changes, and messages that follow each other mostly share one.
public final class PluginRoute: Sendable {
    /// The virtual device that it passes, by its name in `gateway.yaml`.
    public let device: String
    /// Which way it travels.
    public let direction: MessageDirection
    /// The number of the sender's channel; nil for what the device says by itself.
    public let connection: Int?
    /// The sender's address without the port; nil for what the device says.
    public let sender: String?
    /// The id of the session with the app, if the message goes to or comes from one.
    public let session: String?
    /// That app's id.
    public let app: String?
    /// The sending end.
    public let source: EndpointID
    /// The receiving end, or `*`.
    public let destination: EndpointID
    /// What the payload means.
    public let namespace: Namespace

    /// Puts a route together.
    public init(
        device: String, direction: MessageDirection = .toReceiver, connection: Int? = nil, sender: String? = nil,
        session: String? = nil, app: String? = nil, source: EndpointID, destination: EndpointID, namespace: Namespace
    ) {
        self.device = device
        self.direction = direction
        self.connection = connection
        self.sender = sender
        self.session = session
        self.app = app
        self.source = source
        self.destination = destination
        self.namespace = namespace
    }

    /// True when both are of one flow: the same ends on the same channel.
    func isSameFlow(as other: PluginRoute) -> Bool {
        self === other
            || self.connection == other.connection && self.source == other.source
                && self.destination == other.destination
    }
}

extension PluginRoute: Hashable {
    /// True when everything is equal.
    public static func == (left: PluginRoute, right: PluginRoute) -> Bool {
        left === right
            || left.isSameFlow(as: right) && left.device == right.device && left.direction == right.direction
                && left.sender == right.sender && left.session == right.session && left.app == right.app
                && left.namespace == right.namespace
    }

    /// Hashes what mostly differs.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.connection)
        hasher.combine(self.source)
        hasher.combine(self.destination)
        hasher.combine(self.namespace)
    }
}
