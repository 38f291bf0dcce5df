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
        /// The senders that are connected to it, the oldest first, at most 64; nil when none is.
        public var senders: [Sender]?

        /// Describes a device.
        public init(name: String, friendlyName: String, target: String? = nil, senders: [Sender]? = nil) {
            self.senders = senders
            self.name = name
            self.friendlyName = friendlyName
            self.target = target
        }
    }

    /// A sender that is connected to a virtual device. What it has not said of itself is nil.
    public struct Sender: Hashable, Sendable {
        /// The number of its connection, as messages and events have it.
        public var connection: Int
        /// Where it comes from.
        public var address: String
        /// The ids of the sessions that it is connected to.
        public var sessions: [String]
        /// What the machine calls itself, as phones tell their model.
        public var name: String?
        /// What its software calls itself.
        public var userAgent: String?
        /// The system that it runs on, in a word: `android`, `ios`, `macos`, `other` …
        public var platform: String?
        /// The version of that system.
        public var systemVersion: String?
        /// The number of its kind of sender library, 2 for a browser.
        public var sdk: Int?
        /// The version of that library.
        public var sdkVersion: String?
        /// The number of how it is connected to the network, 1 for Wi-Fi.
        public var connectionType: Int?
        /// Where the sender app is opened.
        public var launchURL: String?

        /// Describes a sender that has said nothing of itself.
        public init(connection: Int, address: String, sessions: [String] = []) {
            self.connection = connection
            self.address = address
            self.sessions = sessions
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
        /// The number of the app's version, as `gateway.yaml` gives it; nil where it gives none.
        public var versionCode: Int?

        /// Describes a session.
        public init(
            device: String, id: String, app: String, transport: String, name: String = "", namespaces: [String] = [],
            versionCode: Int? = nil
        ) {
            self.versionCode = versionCode
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
        .optional("senders", \.senders),
    ]
}

extension PluginSnapshot.Sender: WireRecord {
    package static let blank = Self(connection: 0, address: "")

    package static let members: [Member] = [
        .required("connection", \.connection), Member("address", \.address), Member("sessions", \.sessions),
        .optional("name", \.name), .optional("userAgent", \.userAgent), .optional("platform", \.platform),
        .optional("systemVersion", \.systemVersion), .optional("sdk", \.sdk), .optional("sdkVersion", \.sdkVersion),
        .optional("connectionType", \.connectionType), .optional("launchUrl", \.launchURL),
    ]
}

extension PluginSnapshot.Session: WireRecord {
    package static let blank = Self(device: "", id: "", app: "", transport: "")

    package static let members: [Member] = [
        .required("device", \.device), .required("id", \.id), Member("app", \.app),
        Member("transport", \.transport), Member("name", \.name), Member("namespaces", \.namespaces),
        .optional("versionCode", \.versionCode),
    ]
}
