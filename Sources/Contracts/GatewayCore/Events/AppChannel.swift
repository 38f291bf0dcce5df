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
    /// True while the peer accepts messages; false while the send buffer towards it is full.
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

/// A change of an app's channel.
public enum AppChannelChange: Hashable, Sendable {
    /// It is connected.
    case connected
    /// It is not connected any more: the connection, the app, or the app's entry for the namespace is gone.
    case disconnected(reason: String)
    /// The buffer towards the other end is full, or has room again.
    case writable

    /// The event's name on every interface.
    public var name: String { AppChannel.blank.declaration(of: self).name }
}

extension AppChannelChange: EventFamily {
    package static let examples: [AppChannelChange] = [.connected, .writable, .disconnected(reason: "")]
}

extension AppChannel {
    static let blank = AppChannel(
        owner: .session(0), device: "", app: "", sessionID: "", namespace: "", isWritable: false)

    /// An event of the channel: all that is known of it, so that the newest stands for those before it.
    func declaration(of change: AppChannelChange) -> EventDeclaration {
        switch change {
        case .connected:
            self.event("channel.connected") {
                "An end is connected to an app that lists the namespace"
                EventField("writable", self.isWritable, "Whether the other end takes what it is sent")
            }
        case .writable:
            self.event("channel.writable") {
                "The buffer towards the sender, or the device of the session, is full or has room again"
                EventField("writable", self.isWritable, "Whether it takes what it is sent")
            }
        case .disconnected(let reason):
            self.event("channel.disconnected", isLast: true) {
                "The connection, the app, or the app's entry for the namespace is gone"
                EventField.reason(reason)
            }
        }
    }

    private func event(
        _ name: String, isLast: Bool = false, @EventBody.Builder _ body: @escaping @Sendable () -> EventBody
    ) -> EventDeclaration {
        let (id, plugins): (String, EventDeclaration.Plugins)
        var (session, connection, source, sender): (Int?, Int?, String?, String?)
        switch self.owner {
        case .sender(let number, let pair, let address):
            (id, plugins) = ("\(number) \(pair.peer) \(pair.local) \(self.namespace)", .granted(.sender))
            (connection, source, sender) = (number.number, pair.peer.rawValue, address)
        case .session(let number):
            (id, plugins) = ("s\(number) \(self.namespace)", .all(.own))
            session = number
        }
        return EventDeclaration(
            name, .state(.appChannel, id: id, isLast: isLast), .any(self.device), plugins: plugins
        ) { [session, connection, source, sender] in
            let said = body()
            said.summary
            EventField("namespace", self.namespace.rawValue, "The namespace")
            EventField("app", self.app.rawValue, "The id of the app")
            EventField("session_id", self.sessionID, "The device's id of the app's session").forPlugins(as: "session")
            EventField.optional(
                "session", session, "The gateway's own session that is connected; missing for a sender"
            ).forPlugins(as: "number")
            EventField.optional(
                "connection", connection, "The number of the sender's connection in this run of the gateway")
            EventField.optional("source", source, "The sender's end")
            EventField.optional("sender", sender, "The sender's address").forPlugins(as: nil)
            said.fields
        }
    }
}
