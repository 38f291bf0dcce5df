public import CastWire

/// What plays in a session.
public struct GatewayMedia: Hashable, Sendable {
    /// The virtual device, by its name.
    public var device: String
    /// The session's id.
    public var session: String
    /// The last status that the app told: one element of MEDIA_STATUS's `status`.
    public var status: JSONObject

    /// Describes what plays.
    public init(device: String, session: String, status: JSONObject) {
        self.device = device
        self.session = session
        self.status = status
    }
}

extension GatewayMedia: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            device: try reader.string("device"), session: try reader.string("session"),
            status: try reader.optionalObject("status") ?? [:])
    }

    package var json: JSONObject {
        ["device": .string(self.device), "session": .string(self.session), "status": .object(self.status)]
    }
}
