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

    /// The virtual devices.
    public var devices: [Device]
    /// The apps that run on them.
    public var sessions: [Session]

    /// Puts a snapshot together.
    public init(devices: [Device] = [], sessions: [Session] = []) {
        self.devices = devices
        self.sessions = sessions
    }
}

extension PluginSnapshot: WireRecord {
    package static let blank = Self()

    package static let members: [Member] = [Member("devices", \.devices), Member("sessions", \.sessions)]
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
