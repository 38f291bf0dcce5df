public import CastWire

/// What came back for a message that a plugin sent.
public struct GatewaySendResult: Hashable, Sendable {
    /// The answer; nil when none was waited for.
    public var payload: CastMessage.Payload?

    /// Makes a result.
    public init(payload: CastMessage.Payload? = nil) {
        self.payload = payload
    }
}

extension GatewaySendResult: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(payload: try reader.optionalPayload())
    }

    package var json: JSONObject {
        guard let member = self.payload?.member else { return [:] }
        return JSONObject([(member.name, member.value)])
    }
}
