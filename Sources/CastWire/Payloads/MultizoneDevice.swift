/// A member of a speaker group (protocol notes, 5.8).
public struct MultizoneDevice: JSONPayload {
    /// The object in `devices`, or under `device`.
    public var json: JSONObject

    /// Looks at an object.
    public init(json: JSONObject) {
        self.json = json
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

    /// The device's UUID, with dashes.
    public var deviceID: String? { self.json.string("deviceId") }
    /// The device's name for people.
    public var name: String? { self.json.string("name") }
    /// The device's capability bits.
    public var capabilities: Int? { self.json.int("capabilities") }
    /// The device's own volume.
    public var volume: ReceiverVolume? { self.json.object("volume").map(ReceiverVolume.init) }
}
