package import CastWire

/// Nobody waits for a verdict any more; one that comes is ignored and counted.
public struct CancelNotice: Hashable, Sendable {
    /// The id of the `message` request.
    public var id: PluginRequestID
    /// The id of the message.
    public var messageID: String?
    /// Why: `deadline`, `flow_closed`, `drain`.
    public var reason: String

    /// Describes what is cancelled.
    public init(id: PluginRequestID, messageID: String?, reason: String) {
        self.id = id
        self.messageID = messageID
        self.reason = reason
    }
}

extension CancelNotice: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        guard let id = PluginRequestID(json: reader.object["id"]) else {
            throw reader.fault("id", "should be a whole number or a string")
        }
        self.init(
            id: id, messageID: try reader.optionalString("messageId"),
            reason: try reader.optionalString("reason") ?? "")
    }

    package var json: JSONObject {
        var json: JSONObject = ["id": self.id.json]
        json["messageId"] = self.messageID.map { .string($0) }
        json["reason"] = .string(self.reason)
        return json
    }
}
