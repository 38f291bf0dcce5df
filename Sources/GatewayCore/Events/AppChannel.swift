public import CastWire

/// A channel of an app: what connects one end with an app in a namespace that the app lists.
///
/// It is connected while both the connection and the app's entry for the namespace exist, as a channel of the Cast SDKs is.
public struct AppChannel: Hashable, Sendable {
    /// Whose connection it is.
    public enum Owner: Hashable, Sendable {
        /// An end of a sender that is connected to an app on a virtual device.
        case sender(connection: ConnectionID, pair: VirtualConnection, address: String)
        /// A session of Castway's own with an app on a real device, by its number.
        case session(Int)
    }

    /// Whose connection it is.
    public let owner: Owner
    /// The virtual device of a sender, or the real one of a session, by its name in the gateway.
    public let device: String
    /// The app.
    public let app: AppID
    /// The device's id of the app's session.
    public let sessionID: String
    /// The namespace.
    public let namespace: Namespace
    /// Whether the other end takes what it is sent; false while the buffer towards it is full.
    public let isWritable: Bool

    /// Collects the facts.
    public init(
        owner: Owner, device: String, app: AppID, sessionID: String, namespace: Namespace, isWritable: Bool
    ) {
        self.owner = owner
        self.device = device
        self.app = app
        self.sessionID = sessionID
        self.namespace = namespace
        self.isWritable = isWritable
    }
}

/// What happened to a channel of an app.
public enum AppChannelChange: Hashable, Sendable {
    /// It is connected.
    case connected
    /// It is not connected any more: the connection, the app, or the app's entry for the namespace is gone.
    case disconnected(reason: String)
    /// The buffer towards the other end is full, or has room again.
    case writable

    /// The event's name on every interface.
    public var name: String {
        switch self {
        case .connected: "channel.connected"
        case .disconnected: "channel.disconnected"
        case .writable: "channel.writable"
        }
    }
}
