package import CastWire
import NIOCore

extension CastMessage.Payload {
    /// Appends the payload as a member: `payload` with the text, or `payloadB64` with bytes.
    ///
    /// Text that is not UTF-8, which no message that came over a channel holds, goes as bytes: a line is UTF-8.
    func writeMember(to buffer: inout ByteBuffer) {
        if case .text(let text) = self {
            let bytes = text.readableBytesUInt8Span
            if (try? UTF8Span(validating: bytes)) != nil {
                buffer.writeStaticString(#""payload":"#)
                return JSONWriter.write(text: bytes, to: &buffer)
            }
        }
        buffer.writeStaticString(#""payloadB64":""#)
        Base64.write(self.bytes, to: &buffer)
        buffer.writeStaticString("\"")
    }

    /// The member of ``writeMember(to:)``.
    var member: (name: String, value: JSONValue) {
        if case .text(let text) = self, let string = text.getString(at: text.readerIndex, length: text.readableBytes),
            ByteBuffer(string: string) == text
        {
            return ("payload", .string(string))
        }
        return ("payloadB64", .string(Base64.text(self.bytes)))
    }
}

extension ObjectReader {
    /// A payload: `payload` with the exact text, or with an object or list that is written out; or `payloadB64` with bytes.
    package func optionalPayload() throws(PluginWireError) -> CastMessage.Payload? {
        let value = self.object["payload"] ?? .null
        let bytes: String? = try self.optional("payloadB64")
        switch (value, bytes) {
        case (.null, nil): return nil
        case (.null, .some(let text)):
            guard let bytes = Base64.bytes(text.utf8) else { throw self.fault("payloadB64", "should be base 64") }
            return .binary(bytes)
        case (_, .some): throw self.fault("payload", "stands beside payloadB64; one of them is enough")
        case (.string(let text), nil): return .text(text)
        case (.object, nil), (.array, nil): return .text(value.text)
        default: throw self.fault("payload", "should be a string, an object or a list")
        }
    }

    package func payload() throws(PluginWireError) -> CastMessage.Payload {
        guard let payload = try self.optionalPayload() else { throw self.fault("payload", "is missing") }
        return payload
    }
}
