package import CastWire

/// The answer to a ``GatewayQuery``: what was asked for is not nil.
public struct GatewayQueryResult: Hashable, Sendable {
    /// The virtual devices.
    public var devices: [PluginSnapshot.Device]?
    /// The apps that run.
    public var sessions: [PluginSnapshot.Session]?
    /// What plays.
    public var media: [GatewayMedia]?

    /// Puts an answer together.
    public init(
        devices: [PluginSnapshot.Device]? = nil, sessions: [PluginSnapshot.Session]? = nil,
        media: [GatewayMedia]? = nil
    ) {
        self.devices = devices
        self.sessions = sessions
        self.media = media
    }
}

extension GatewayQueryResult: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init()
        if reader.object["devices"] != nil { self.devices = try reader.list("devices") }
        if reader.object["sessions"] != nil { self.sessions = try reader.list("sessions") }
        if reader.object["media"] != nil { self.media = try reader.list("media") }
    }

    package var json: JSONObject {
        var json: JSONObject = [:]
        json["devices"] = self.devices.map { .array($0.map { .object($0.json) }) }
        json["sessions"] = self.sessions.map { .array($0.map { .object($0.json) }) }
        json["media"] = self.media.map { .array($0.map { .object($0.json) }) }
        return json
    }
}
