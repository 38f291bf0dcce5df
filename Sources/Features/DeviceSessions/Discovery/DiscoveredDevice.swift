package import CastDiscovery
package import CastWire
package import GatewayCore

/// A device of the list: one, however many interfaces and protocols it was heard on, and whether or not it is named in
/// `gateway.yaml` too.
package struct DiscoveredDevice: Hashable, Sendable, Identifiable {
    /// The device's id, canonical; `static:NAME` for an entry of `discovery.static` that was never announced.
    package let id: String
    /// The name in `discovery.static`, or that a plugin gives it; nil when it has none.
    package var staticName: String?
    /// The source of that name, when it is not `gateway.yaml`: `plugin:NAME`.
    package var source: String?
    /// True if its static entry names no id, so that the name means any device at the address.
    var isNamedByAddress = false
    /// The device's own record; nil while it has announced none.
    package var record: DeviceRecord?
    /// The name of the host that it is on; on groups the leader. Empty when unknown.
    package var host = ""
    /// The addresses to dial, best first.
    package var addresses: [DeviceAddress]
    /// The names of the network interfaces on which an address was heard, which say whose word it is; an address that is in `gateway.yaml`
    /// is missing.
    package var hearing: [DeviceAddress: Set<String>] = [:]
    /// True if it is heard now; false for devices that are in `gateway.yaml` only, and in the moment before one goes.
    package var isAnnounced: Bool
    /// The subtypes that it answered to, of those that were asked for.
    package var subtypes: Set<ServiceSubtype> = []
    /// The apps that it is known to have or not to have.
    package var apps: [AppID: Bool] = [:]
    /// The attributes that others keep with it.
    package var attributes: [String: String] = [:]

    package init(id: String, staticName: String? = nil, addresses: [DeviceAddress], isAnnounced: Bool) {
        self.id = id
        self.staticName = staticName
        self.addresses = addresses
        self.isAnnounced = isAnnounced
    }

    /// The device's category: the plugin that names it, or else that of Castway's own search.
    package var category: DeviceCategory { self.source.map(DeviceCategory.init(rawValue:)) ?? .cast }
    /// The id with the category before it, unlike that of any other provider's device.
    package var uniqueID: String { "\(self.category):\(self.id)" }
    /// The name for people; that of `gateway.yaml` while the device has not told its own.
    package var friendlyName: String { self.record?.friendlyName ?? self.staticName ?? self.id }
    /// Empty while unknown.
    package var model: String { self.record?.model ?? "" }
    /// The version of its record; 0 while unknown.
    package var version: Int { self.record?.version ?? 0 }
    package var capabilities: DeviceCapabilities { self.record?.capabilities ?? [] }
    /// True if it says that it shows video; nil while it has said nothing.
    var showsVideo: Bool? { self.record?.capabilities.contains(.videoOut) }
    /// The identity that a name of the device means; nil when that is any device at its address.
    package func identity(as name: String) -> ExpectedDevice? {
        if self.isNamedByAddress, self.staticName == name { return nil }
        return DeviceID(self.id).map {
            ExpectedDevice(id: $0, isGroup: self.record?.capabilities.contains(.multizoneGroup))
        }
    }
    package var type: DeviceType { DeviceType(self.capabilities) }
    /// The device's activity: whether an app runs.
    package var status: DeviceActivity { self.record?.activity ?? .idle }
    /// A line on what the app does.
    package var statusText: String { self.record?.statusText ?? "" }
    /// True when it was heard by multicast, which routers do not pass on.
    package var isOnLocalNetwork: Bool { self.isAnnounced }
    /// The URLs of its pictures; over HTTP on port 8008 (protocol notes, 1.2).
    package var icons: [String] {
        guard let path = self.record?.iconPath, path.hasPrefix("/"), let address = self.addresses.first else {
            return []
        }
        return ["http://\(DeviceAddress(host: address.host, port: 8008))\(path)"]
    }

    /// True if the other stands for the same device.
    package func isSame(as other: DiscoveredDevice) -> Bool { self.uniqueID == other.uniqueID }

    /// The device as JSON: in events, in the command line's output and in the API.
    package var json: JSONObject {
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

/// The kind of a device, for people.
package enum DeviceType: String, Hashable, Sendable {
    /// Nothing is known.
    case generic
    /// It has a screen.
    case tv
    /// It has loudspeakers only.
    case speaker
    /// It stands for several speakers.
    case speakerGroup = "speaker_group"

    /// Tells it from what a device can do.
    package init(_ capabilities: DeviceCapabilities) {
        if !capabilities.isDisjoint(with: [.multizoneGroup, .dynamicGroup]) {
            self = .speakerGroup
        } else if capabilities.contains(.videoOut) {
            self = .tv
        } else {
            self = capabilities.contains(.audioOut) ? .speaker : .generic
        }
    }
}
