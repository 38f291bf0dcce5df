public import CastWire

/// The state of the virtual devices, the real devices, and the gateway's own sessions with these, as values.
public struct GatewaySnapshot: Hashable, Sendable {
    /// A virtual device.
    public struct Device: Hashable, Sendable {
        /// The name in `gateway.yaml`.
        public var name: String
        /// The name for people.
        public var friendlyName: String
        /// The real device behind it; nil for the built-in receiver.
        public var target: String?
        /// How many senders are connected by a channel.
        public var senders: Int
        /// The oldest of them, at most ``maximumSenders``.
        public var connected: [Sender]

        /// How many senders a device lists.
        public static let maximumSenders = 64

        /// Collects the facts.
        public init(
            name: String, friendlyName: String, target: String? = nil, senders: Int = 0, connected: [Sender] = []
        ) {
            self.connected = connected
            self.name = name
            self.friendlyName = friendlyName
            self.target = target
            self.senders = senders
        }
    }

    /// A sender that is connected to a virtual device by a channel.
    public struct Sender: Hashable, Sendable {
        /// Its channel.
        public var connection: ConnectionID
        /// Where it comes from, without the port.
        public var address: String
        /// What it has said of itself.
        public var facts: SenderFacts
        /// The ids of the sessions that it is connected to.
        public var sessions: [String]

        /// Collects the facts.
        public init(
            connection: ConnectionID, address: String, facts: SenderFacts = SenderFacts(), sessions: [String] = []
        ) {
            self.connection = connection
            self.address = address
            self.facts = facts
            self.sessions = sessions
        }
    }

    /// An app that runs on a virtual device; the idle screen is none.
    public struct Session: Hashable, Sendable {
        /// The virtual device's name.
        public var device: String
        /// The app: ids, transport id, names, namespaces.
        public var app: SessionFacts
        /// What it plays: one element of MEDIA_STATUS's `status` with all that later ones left out; nil when nothing is
        /// loaded or the app has not said.
        public var media: JSONObject?

        /// Collects the facts.
        public init(device: String, app: SessionFacts, media: JSONObject? = nil) {
            self.device = device
            self.app = app
            self.media = media
        }
    }

    /// A real device: one that the gateway keeps a channel to, or that discovery has found.
    public struct RealDevice: Hashable, Sendable {
        /// Its name in the gateway; the id of one that no file names.
        public var name: String
        /// The name for people.
        public var friendlyName: String
        /// Its id; nil while it has not said it.
        public var id: String?
        /// The model; empty while unknown.
        public var model: String
        /// Whether the gateway has a channel to it now.
        public var isOnline: Bool

        /// Collects the facts.
        public init(name: String, friendlyName: String, id: String? = nil, model: String = "", isOnline: Bool) {
            self.name = name
            self.friendlyName = friendlyName
            self.id = id
            self.model = model
            self.isOnline = isOnline
        }
    }

    /// The virtual devices, by name.
    public var devices: [Device]
    /// What runs on them, by device.
    public var sessions: [Session]
    /// The real devices.
    public var realDevices: [RealDevice]
    /// The gateway's own sessions with them.
    public var ownSessions: [CastSessionFacts]

    /// Collects the facts.
    public init(
        devices: [Device] = [], sessions: [Session] = [], realDevices: [RealDevice] = [],
        ownSessions: [CastSessionFacts] = []
    ) {
        self.devices = devices
        self.sessions = sessions
        self.realDevices = realDevices
        self.ownSessions = ownSessions
    }
}
