public import CastWire

/// A line for the gateway's log.
public struct PluginLogRecord: Hashable, Sendable {
    /// How much it matters.
    public var level: Effect.LogLevel
    /// The text.
    public var message: String
    /// Names and values beside it.
    public var fields: JSONObject

    /// Writes a line.
    public init(_ level: Effect.LogLevel, _ message: String, fields: JSONObject = [:]) {
        self.level = level
        self.message = message
        self.fields = fields
    }
}

extension PluginLogRecord: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            try reader.optionalWord("level") ?? .info, try reader.string("message"),
            fields: try reader.optionalObject("fields") ?? [:])
    }

    package var json: JSONObject {
        var json: JSONObject = ["level": .string(self.level.rawValue), "message": .string(self.message)]
        if !self.fields.isEmpty { json["fields"] = .object(self.fields) }
        return json
    }
}
