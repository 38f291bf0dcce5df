public import CastDiscovery
public import CastWire
public import GatewayCore

/// A device of the list: one, however many interfaces and protocols it was heard on, and whether or not it is named in
/// `gateway.yaml` too.
public struct DiscoveredDevice: Hashable, Sendable, Identifiable {
    /// The device's id, canonical; `static:NAME` for an entry of `discovery.static` that was never announced.
    public let id: String
    /// The name in `discovery.static`, or that a plugin gives it; nil when it has none.
    public var staticName: String?
    /// Who gives it that name, when it is not `gateway.yaml`: `plugin:NAME`.
    public var source: String?
    /// Whether its static entry names no id, so that the name means any device at the address.
    var isNamedByAddress = false
    /// What the device says of itself; nil while it has said nothing.
    public var record: DeviceRecord?
    /// The name of the host that it is on; on groups the leader. Empty when unknown.
    public var host = ""
    /// Where it is dialled, best first.
    public var addresses: [DeviceAddress]
    /// The names of the network interfaces on which an address was heard, which say whose word it is; an address that is in `gateway.yaml`
    /// is missing.
    public var hearing: [DeviceAddress: Set<String>] = [:]
    /// Whether it is heard now; false for devices that are in `gateway.yaml` only, and in the moment before one goes.
    public var isAnnounced: Bool
    /// What it answered to of the subtypes that were asked for.
    public var subtypes: Set<ServiceSubtype> = []
    /// The apps that it is known to have or not to have.
    public var apps: [AppID: Bool] = [:]
    /// What others keep with it.
    public var attributes: [String: String] = [:]

    /// Makes a device.
    public init(id: String, staticName: String? = nil, addresses: [DeviceAddress], isAnnounced: Bool) {
        self.id = id
        self.staticName = staticName
        self.addresses = addresses
        self.isAnnounced = isAnnounced
    }

    /// Whose device it is: the plugin's that names it, or else that of Castway's own search.
    public var category: DeviceCategory { self.source.map(DeviceCategory.init(rawValue:)) ?? .cast }
    /// The id with the category before it, unlike that of any other provider's device.
    public var uniqueID: String { "\(self.category):\(self.id)" }
    /// The name for people; that of `gateway.yaml` while the device has not told its own.
    public var friendlyName: String { self.record?.friendlyName ?? self.staticName ?? self.id }
    /// The model; empty while unknown.
    public var model: String { self.record?.model ?? "" }
    /// The version of its record; 0 while unknown.
    public var version: Int { self.record?.version ?? 0 }
    /// What it can do.
    public var capabilities: DeviceCapabilities { self.record?.capabilities ?? [] }
    /// Whether it says that it shows video; nil while it has said nothing.
    var showsVideo: Bool? { self.record?.capabilities.contains(.videoOut) }
    /// Which device a name means that it goes by; nil when that is any device at its address.
    public func identity(as name: String) -> ExpectedDevice? {
        if self.isNamedByAddress, self.staticName == name { return nil }
        return DeviceID(self.id).map {
            ExpectedDevice(id: $0, isGroup: self.record?.capabilities.contains(.multizoneGroup))
        }
    }
    /// What it is to people.
    public var type: DeviceType { DeviceType(self.capabilities) }
    /// Whether an app runs.
    public var status: DeviceActivity { self.record?.activity ?? .idle }
    /// A line on what the app does.
    public var statusText: String { self.record?.statusText ?? "" }
    /// True when it was heard by multicast, which routers do not pass on.
    public var isOnLocalNetwork: Bool { self.isAnnounced }
    /// Where its pictures are; over HTTP on port 8008 (protocol notes, 1.2).
    public var icons: [String] {
        guard let path = self.record?.iconPath, path.hasPrefix("/"), let address = self.addresses.first else {
            return []
        }
        return ["http://\(DeviceAddress(host: address.host, port: 8008))\(path)"]
    }

    /// Whether the other stands for the same device.
    public func isSame(as other: DiscoveredDevice) -> Bool { self.uniqueID == other.uniqueID }

    /// The device as JSON: in events, in the command line's output and in the API.
    public var json: JSONObject {
        var json: JSONObject = [
            "deviceId": .string(self.id), "uniqueId": .string(self.uniqueID),
            "category": .string(self.category.rawValue), "friendlyName": .string(self.friendlyName),
            "modelName": .string(self.model), "deviceVersion": .number(self.version),
            "type": .string(self.type.rawValue), "status": .string(self.status == .busy ? "busy" : "idle"),
            "statusText": .string(self.statusText),
            "addresses": .array(self.addresses.map { .string($0.description) }),
            "capabilities": .array(self.capabilities.names.map { .string($0) }),
            "capabilityBits": .number(Int(clamping: self.capabilities.rawValue)),
            "icons": .array(self.icons.map { .string($0) }), "isAnnounced": .bool(self.isAnnounced),
            "isOnLocalNetwork": .bool(self.isOnLocalNetwork), "host": .string(self.host),
        ]
        if let address = self.addresses.first {
            json["networkAddress"] = .string(address.host)
            json["servicePort"] = .number(address.port)
        }
        if let staticName { json["staticName"] = .string(staticName) }
        if !self.attributes.isEmpty {
            let attributes = self.attributes.sorted { $0.key < $1.key }
            json["attributes"] = .object(JSONObject(attributes.map { ($0.key, .string($0.value)) }))
        }
        if let source { json["source"] = .string(source) }
        return json
    }
}

/// What a device is to people.
public enum DeviceType: String, Hashable, Sendable {
    /// Nothing is known.
    case generic
    /// It has a screen.
    case tv
    /// It has loudspeakers only.
    case speaker
    /// It stands for several speakers.
    case speakerGroup = "speaker_group"

    /// Tells it from what a device can do.
    public init(_ capabilities: DeviceCapabilities) {
        if !capabilities.isDisjoint(with: [.multizoneGroup, .dynamicGroup]) {
            self = .speakerGroup
        } else if capabilities.contains(.videoOut) {
            self = .tv
        } else {
            self = capabilities.contains(.audioOut) ? .speaker : .generic
        }
    }
}
