/// A message of ``Namespace/multizone``: who is in a speaker group (protocol notes, 5.8).
public struct MultizonePayload: MessagePayload {
    /// The messages of the namespace.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Asks for the group's members.
        case getStatus = "GET_STATUS"
        /// The group's members.
        case status = "MULTIZONE_STATUS"
        /// A member came.
        case deviceAdded = "DEVICE_ADDED"
        /// A member changed, its volume for example.
        case deviceUpdated = "DEVICE_UPDATED"
        /// A member went.
        case deviceRemoved = "DEVICE_REMOVED"
        /// Asks for the groups that the device casts to.
        case getCastingGroups = "GET_CASTING_GROUPS"
        /// The groups that the device casts to.
        case castingGroups = "CASTING_GROUPS"
        /// Playback in the group changed; its content has no documented shape.
        case playbackSessionUpdated = "PLAYBACK_SESSION_UPDATED"
    }

    /// The whole message.
    public var json: JSONObject

    /// Wraps a message; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The member that came or changed; nil for other messages.
        public static let device = Field<MultizoneDevice>("device")
    }

    /// Which message it is, or nil for one that the namespace does not have.
    public var kind: Kind? { self.type.flatMap(Kind.init) }

    /// The members that a status lists; nil for other messages, and for a status that tells none.
    public var members: [MultizoneDevice]? {
        self.json.object("status")?.objects("devices")?.map(MultizoneDevice.init)
    }

    /// The members that a status lists; empty for other messages.
    public var devices: [MultizoneDevice] { self.members ?? [] }

    /// Whether the group plays channels apart; nil when the message does not tell.
    public var isMultichannel: Bool? { self.json.object("status")?.bool("isMultichannel") }

    /// The id of the member that came, changed or went; nil for other messages.
    public var deviceID: String? { self.json.string("deviceId") ?? self.device?.deviceID }

    /// A question for the group's members.
    public static func getStatus(requestID: RequestID) -> Self {
        Self(json: ["type": "GET_STATUS", "requestId": requestID.json])
    }

    /// A status; a device that is no group has no members.
    public static func status(devices: [MultizoneDevice] = [], requestID: RequestID = .spontaneous) -> Self {
        let status: JSONObject = ["isMultichannel": false, "devices": .array(devices.map { .object($0.json) })]
        return Self(json: ["type": "MULTIZONE_STATUS", "requestId": requestID.json, "status": .object(status)])
    }

    /// The news that a member came.
    public static func deviceAdded(_ device: MultizoneDevice) -> Self {
        Self(json: ["type": "DEVICE_ADDED", "requestId": 0, "device": .object(device.json)])
    }

    /// The news that a member changed.
    public static func deviceUpdated(_ device: MultizoneDevice) -> Self {
        Self(json: ["type": "DEVICE_UPDATED", "requestId": 0, "device": .object(device.json)])
    }

    /// The news that a member went.
    public static func deviceRemoved(deviceID: String) -> Self {
        Self(json: ["type": "DEVICE_REMOVED", "requestId": 0, "deviceId": .string(deviceID)])
    }
}

/// A member of a speaker group (protocol notes, 5.8).
public struct MultizoneDevice: JSONPayload {
    /// The object in `devices`, or under `device`.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The device's UUID, with dashes.
        public static let deviceID = Field<String>("deviceId")
        /// The device's name for people.
        public static let name = Field<String>("name")
        /// The device's capability bits.
        public static let capabilities = Field<Int>(exact: "capabilities")
        /// The device's own volume.
        public static let volume = Field<ReceiverVolume>("volume")
    }

    /// Makes a member.
    ///
    /// - Parameters:
    ///   - deviceID: The device's UUID, with dashes.
    ///   - name: The device's name for people.
    ///   - capabilities: The device's capability bits.
    ///   - volume: The device's level and whether it is muted.
    public init(deviceID: String, name: String, capabilities: Int, volume: ReceiverVolume) {
        self.json = [
            "deviceId": .string(deviceID), "name": .string(name), "capabilities": .number(capabilities),
            "volume": .object(volume.json),
        ]
    }
}
