package import CastWire

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

extension PluginSnapshot: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(devices: try reader.list("devices"), sessions: try reader.list("sessions"))
    }

    package var json: JSONObject {
        [
            "devices": .array(self.devices.map { .object($0.json) }),
            "sessions": .array(self.sessions.map { .object($0.json) }),
        ]
    }
}

extension PluginSnapshot.Device: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            name: try reader.string("name"), friendlyName: try reader.optionalString("friendlyName") ?? "",
            target: try reader.optionalString("target"))
    }

    package var json: JSONObject {
        var json: JSONObject = ["name": .string(self.name), "friendlyName": .string(self.friendlyName)]
        json["target"] = self.target.map { .string($0) }
        return json
    }
}

extension PluginSnapshot.Session: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            device: try reader.string("device"), id: try reader.string("id"),
            app: try reader.optionalString("app") ?? "", transport: try reader.optionalString("transport") ?? "",
            name: try reader.optionalString("name") ?? "", namespaces: try reader.optionalStrings("namespaces") ?? [])
    }

    package var json: JSONObject {
        [
            "device": .string(self.device), "id": .string(self.id), "app": .string(self.app),
            "transport": .string(self.transport), "name": .string(self.name),
            "namespaces": .array(self.namespaces.map { .string($0) }),
        ]
    }
}
