public import CastWire

extension PluginMessage {
    /// The payload as a type.
    /// - Throws: ``Rejection`` with `INVALID_PARAMS`, which a handler can let through: the sender learns what is
    ///   wrong.
    public func decode<Value: Decodable>(_: Value.Type = Value.self) throws(Rejection) -> Value {
        guard let json = self.json else { throw .invalidParameters("the payload is no JSON object") }
        do throws(JSONCodingError) {
            return try JSONValueDecoder.decode(Value.self, from: .object(json))
        } catch {
            throw .invalidParameters(error.description)
        }
    }

    /// The payload as one of Cast's own messages, such as `MediaRequest`; nil when it is no JSON object.
    public func decode<Value: MessagePayload>(as _: Value.Type = Value.self) -> Value? {
        Value(self.payload)
    }
}

extension CastMessage.Payload {
    /// A value as a text payload that holds JSON.
    /// - Throws: ``JSONCodingError`` when the value cannot be written as JSON, such as infinity.
    public static func encoding(_ value: some Encodable) throws(JSONCodingError) -> CastMessage.Payload {
        .text(try JSONValueEncoder.encode(value).text)
    }
}
