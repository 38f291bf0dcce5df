/// Devices and sessions as they stand when a plugin starts, within its grant.
public struct PluginSnapshot: Hashable, Sendable {
    /// A virtual device.
    public struct Device: Hashable, Sendable {
        /// Its name in `gateway.yaml`.
        public var name: String
        /// Its name for people.
        public var friendlyName: String
        /// The real device behind it; nil for the built-in receiver.
        public var target: String?

        /// Describes a device.
        public init(name: String, friendlyName: String, target: String? = nil) {
            self.name = name
            self.friendlyName = friendlyName
            self.target = target
        }
    }

    /// An app that runs.
    public struct Session: Hashable, Sendable {
        /// The virtual device that it runs on.
        public var device: String
        /// The session's id.
        public var id: String
        /// The app's id.
        public var app: String
        /// Where senders reach it.
        public var transport: String
        /// The app's name for people.
        public var name: String
        /// The namespaces that it announces.
        public var namespaces: [String]

        /// Describes a session.
        public init(
            device: String, id: String, app: String, transport: String, name: String = "", namespaces: [String] = []
        ) {
            self.device = device
            self.id = id
            self.app = app
            self.transport = transport
            self.name = name
            self.namespaces = namespaces
        }
    }

    /// A real device: one that the gateway keeps a channel to, or that discovery has found.
    public struct RealDevice: Hashable, Sendable {
        /// Its name in the gateway; the id of one that no file names.
        public var name: String
        /// Its name for people.
        public var friendlyName: String
        /// Its id; nil while it has not said it.
        public var id: String?
        /// The model; empty while unknown.
        public var model: String
        /// Whether the gateway has a channel to it now.
        public var isOnline: Bool

        /// Describes a device.
        public init(name: String, friendlyName: String = "", id: String? = nil, model: String = "", isOnline: Bool) {
            self.name = name
            self.friendlyName = friendlyName
            self.id = id
            self.model = model
            self.isOnline = isOnline
        }
    }

    /// A session of the gateway's own with an app on a real device.
    public struct OwnSession: Hashable, Sendable {
        /// The real device.
        public var device: String
        /// The session's number in this run of the gateway.
        public var number: Int
        /// `connecting`, `connected`, `disconnecting` or `disconnected`.
        public var state: String
        /// The app's id.
        public var app: String
        /// The device's id of the session; nil before the app runs.
        public var id: String?
        /// Where the app is reached; nil before it runs.
        public var transport: String?
        /// The app's name for people.
        public var name: String
        /// The namespaces that it announces.
        public var namespaces: [String]

        /// Describes a session.
        public init(
            device: String, number: Int, state: String, app: String, id: String? = nil, transport: String? = nil,
            name: String = "", namespaces: [String] = []
        ) {
            self.device = device
            self.number = number
            self.state = state
            self.app = app
            self.id = id
            self.transport = transport
            self.name = name
            self.namespaces = namespaces
        }
    }

    /// The virtual devices.
    public var devices: [Device]
    /// The apps that run on them.
    public var sessions: [Session]
    /// The real devices; nil for a plugin that is granted nothing on the leg ``MessageLeg/own``.
    public var realDevices: [RealDevice]?
    /// The gateway's own sessions with them; nil likewise.
    public var ownSessions: [OwnSession]?

    /// Puts a snapshot together.
    public init(
        devices: [Device] = [], sessions: [Session] = [], realDevices: [RealDevice]? = nil,
        ownSessions: [OwnSession]? = nil
    ) {
        self.devices = devices
        self.sessions = sessions
        self.realDevices = realDevices
        self.ownSessions = ownSessions
    }
}

extension PluginSnapshot: WireRecord {
    package static let blank = Self()

    package static let members: [Member] = [
        Member("devices", \.devices), Member("sessions", \.sessions), .optional("realDevices", \.realDevices),
        .optional("ownSessions", \.ownSessions),
    ]
}

extension PluginSnapshot.RealDevice: WireRecord {
    package static let blank = Self(name: "", isOnline: false)

    package static let members: [Member] = [
        .required("name", \.name), Member("friendlyName", \.friendlyName), .optional("id", \.id),
        Member("model", \.model), Member("online", \.isOnline),
    ]
}

extension PluginSnapshot.OwnSession: WireRecord {
    package static let blank = Self(device: "", number: 0, state: "", app: "")

    package static let members: [Member] = [
        .required("device", \.device), .required("number", \.number), Member("state", \.state), Member("app", \.app),
        .optional("id", \.id), .optional("transport", \.transport), Member("name", \.name),
        Member("namespaces", \.namespaces),
    ]
}

extension PluginSnapshot.Device: WireRecord {
    package static let blank = Self(name: "", friendlyName: "")

    package static let members: [Member] = [
        .required("name", \.name), Member("friendlyName", \.friendlyName), .optional("target", \.target),
    ]
}

extension PluginSnapshot.Session: WireRecord {
    package static let blank = Self(device: "", id: "", app: "", transport: "")

    package static let members: [Member] = [
        .required("device", \.device), .required("id", \.id), Member("app", \.app),
        Member("transport", \.transport), Member("name", \.name), Member("namespaces", \.namespaces),
    ]
}
