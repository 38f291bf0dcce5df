import NIOCore

/// A sender's request that the device proves who it is (protocol notes, 2.3).
///
/// Every field has a default, so a challenge without any content is valid; VLC sends that.
public struct AuthChallenge: Hashable, Sendable {
    /// The signature that the sender wants; PKCS #1 v1.5 unless it says otherwise.
    public var signatureAlgorithm: AuthSignatureAlgorithm
    /// Bytes to be signed together with the certificate, 16 in practice; nil when the sender gave none.
    public var senderNonce: [UInt8]?
    /// The digest that the sender wants; SHA-1 unless it says otherwise.
    public var hashAlgorithm: AuthHashAlgorithm

    /// Makes a challenge; without arguments it is the empty one.
    public init(
        senderNonce: [UInt8]? = nil, hashAlgorithm: AuthHashAlgorithm = .sha1,
        signatureAlgorithm: AuthSignatureAlgorithm = .rsassaPKCS1v15
    ) {
        self.signatureAlgorithm = signatureAlgorithm
        self.senderNonce = senderNonce
        self.hashAlgorithm = hashAlgorithm
    }
}

extension AuthChallenge {
    /// Algorithms that this version does not know count as absent, as proto2 has it.
    init(parsing body: ByteBuffer) throws(WireError) {
        self.init()
        var fields = ProtobufReader(body)
        while let field = try fields.next(body.readableBytesUInt8Span) {
            switch (field.number, field.value) {
            case (1, .varint(let value)):
                self.signatureAlgorithm = AuthSignatureAlgorithm(rawValue: value) ?? self.signatureAlgorithm
            case (2, .bytes(let range)): self.senderNonce = fields.array(range)
            case (3, .varint(let value)): self.hashAlgorithm = AuthHashAlgorithm(rawValue: value) ?? self.hashAlgorithm
            default: break
            }
        }
    }

    func serialize() -> ByteBuffer {
        var buffer = ByteBuffer()
        if self.signatureAlgorithm != .rsassaPKCS1v15 {
            ProtobufWriter.write(self.signatureAlgorithm.rawValue, field: 1, to: &buffer)
        }
        if let senderNonce { ProtobufWriter.write(senderNonce, field: 2, to: &buffer) }
        if self.hashAlgorithm != .sha1 { ProtobufWriter.write(self.hashAlgorithm.rawValue, field: 3, to: &buffer) }
        return buffer
    }
}
