public import NIOCore

/// What travels in the binary payloads of ``Namespace/deviceAuth``: one of challenge, response and error
/// (protocol notes, 2.3).
///
/// Nothing on the wire forbids several at once, or none, so the reader decides what such a message is worth.
public struct DeviceAuthMessage: Hashable, Sendable {
    /// A sender's question.
    public var challenge: AuthChallenge?
    /// A device's proof.
    public var response: AuthResponse?
    /// A device's refusal.
    public var error: AuthError?

    /// Makes a message of the parts that it shall have.
    public init(challenge: AuthChallenge? = nil, response: AuthResponse? = nil, error: AuthError? = nil) {
        self.challenge = challenge
        self.response = response
        self.error = error
    }
}

extension DeviceAuthMessage {
    /// Reads a message from the whole of a payload. Fields that Castway does not know are skipped.
    /// - Throws: ``WireError`` when the bytes are malformed or a required field of a part is absent.
    public init(parsing payload: ByteBuffer) throws(WireError) {
        // A part that stands twice is one part whose fields are those of both, so their bytes are read as one.
        var challenge: ByteBuffer?
        var response: ByteBuffer?
        var error: ByteBuffer?
        var fields = ProtobufReader(payload)
        while let field = try fields.next(payload.readableBytesUInt8Span) {
            switch (field.number, field.value) {
            case (1, .bytes(let range)): try Self.append(fields.slice(range), to: &challenge)
            case (2, .bytes(let range)): try Self.append(fields.slice(range), to: &response)
            case (3, .bytes(let range)): try Self.append(fields.slice(range), to: &error)
            default: break
            }
        }
        self.init()
        if let challenge { self.challenge = try AuthChallenge(parsing: challenge) }
        if let response { self.response = try AuthResponse(parsing: response) }
        if let error { self.error = try AuthError(parsing: error) }
    }

    private static func append(_ bytes: ByteBuffer, to part: inout ByteBuffer?) throws(WireError) {
        // Each piece must be whole by itself: fields may not run from one into the next.
        var fields = ProtobufReader(bytes)
        while try fields.next(bytes.readableBytesUInt8Span) != nil {}
        if part == nil { part = bytes } else { part?.writeImmutableBuffer(bytes) }
    }

    /// The message as the content of a binary payload.
    public func serialize() -> ByteBuffer {
        var buffer = ByteBuffer()
        if let challenge { ProtobufWriter.write(challenge.serialize(), field: 1, to: &buffer) }
        if let response { ProtobufWriter.write(response.serialize(), field: 2, to: &buffer) }
        if let error { ProtobufWriter.write(error.serialize(), field: 3, to: &buffer) }
        return buffer
    }

    /// The message as a payload.
    public var payload: CastMessage.Payload { .binary(self.serialize()) }
}
