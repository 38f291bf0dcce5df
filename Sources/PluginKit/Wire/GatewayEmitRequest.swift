public import CastWire

/// An event for the gateway's bus.
public struct GatewayEmitRequest: Hashable, Sendable {
    /// The event's name, such as `quiz.finished`.
    public var event: String
    /// Its values.
    public var data: JSONValue
    /// Of events with one key, those that come again may be left out.
    public var key: String?

    /// Puts the request together.
    public init(event: String, data: JSONValue = .null, key: String? = nil) {
        self.event = event
        self.data = data
        self.key = key
    }
}

extension GatewayEmitRequest: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            event: try reader.string("event"), data: reader.object["data"] ?? .null,
            key: try reader.optionalString("key"))
    }

    package var json: JSONObject {
        var json: JSONObject = ["event": .string(self.event), "data": self.data]
        json["key"] = self.key.map { .string($0) }
        return json
    }
}
