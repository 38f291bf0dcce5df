import NIOCore

/// A device's refusal of a challenge (protocol notes, 2.3).
public struct AuthError: Hashable, Sendable {
    /// The reasons that devices give.
    public enum Kind: UInt64, Hashable, Sendable, CaseIterable {
        /// The device cannot answer, for want of credentials for example.
        case internalError = 0
        /// The channel has no TLS certificate to sign.
        case noTLS = 1
        /// The device has no key for the signature that was asked for.
        case signatureAlgorithmUnavailable = 2
    }

    /// What went wrong.
    public var kind: Kind

    /// Makes an error.
    public init(_ kind: Kind) {
        self.kind = kind
    }
}

extension AuthError {
    init(parsing body: ByteBuffer) throws(WireError) {
        var value: UInt64?
        var fields = ProtobufReader(body)
        while let field = try fields.next(body.readableBytesUInt8Span) {
            if case (1, .varint(let number)) = (field.number, field.value) { value = number }
        }
        guard let value else { throw .missingField(number: 1) }
        guard let kind = Kind(rawValue: value) else { throw .invalidValue(number: 1, value: value) }
        self.init(kind)
    }

    func serialize() -> ByteBuffer {
        var buffer = ByteBuffer()
        ProtobufWriter.write(self.kind.rawValue, field: 1, to: &buffer)
        return buffer
    }
}
