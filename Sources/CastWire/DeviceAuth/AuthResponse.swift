import NIOCore

/// A device's proof: a signature, and the certificates that lead to a root the sender trusts (protocol notes, 2.3).
public struct AuthResponse: Hashable, Sendable {
    /// The signature over the nonce and the DER form of the channel's TLS certificate (protocol notes, 2.5).
    public var signature: [UInt8]
    /// The device's certificate, DER.
    public var clientAuthCertificate: [UInt8]
    /// The certificates between the device's and the root, DER, the device's issuer first.
    public var intermediateCertificates: [[UInt8]]
    /// How the signature was made.
    public var signatureAlgorithm: AuthSignatureAlgorithm
    /// The nonce that was signed, or nil when none was.
    public var senderNonce: [UInt8]?
    /// The digest under the signature.
    public var hashAlgorithm: AuthHashAlgorithm
    /// The serialised revocation list bundle (protocol notes, 2.8), or nil.
    public var crl: [UInt8]?

    /// Makes a response.
    public init(
        signature: [UInt8], clientAuthCertificate: [UInt8], intermediateCertificates: [[UInt8]] = [],
        senderNonce: [UInt8]? = nil, hashAlgorithm: AuthHashAlgorithm = .sha1,
        signatureAlgorithm: AuthSignatureAlgorithm = .rsassaPKCS1v15, crl: [UInt8]? = nil
    ) {
        self.signature = signature
        self.clientAuthCertificate = clientAuthCertificate
        self.intermediateCertificates = intermediateCertificates
        self.signatureAlgorithm = signatureAlgorithm
        self.senderNonce = senderNonce
        self.hashAlgorithm = hashAlgorithm
        self.crl = crl
    }
}

extension AuthResponse {
    /// Algorithms that this version does not know count as absent, as proto2 has it.
    init(parsing body: ByteBuffer) throws(WireError) {
        self.init(signature: [], clientAuthCertificate: [])
        var hasSignature = false
        var hasCertificate = false
        var fields = ProtobufReader(body)
        while let field = try fields.next(body.readableBytesUInt8Span) {
            switch (field.number, field.value) {
            case (1, .bytes(let range)):
                self.signature = fields.array(range)
                hasSignature = true
            case (2, .bytes(let range)):
                self.clientAuthCertificate = fields.array(range)
                hasCertificate = true
            case (3, .bytes(let range)): self.intermediateCertificates.append(fields.array(range))
            case (4, .varint(let value)):
                self.signatureAlgorithm = AuthSignatureAlgorithm(rawValue: value) ?? self.signatureAlgorithm
            case (5, .bytes(let range)): self.senderNonce = fields.array(range)
            case (6, .varint(let value)): self.hashAlgorithm = AuthHashAlgorithm(rawValue: value) ?? self.hashAlgorithm
            case (7, .bytes(let range)): self.crl = fields.array(range)
            default: break
            }
        }
        guard hasSignature else { throw .missingField(number: 1) }
        guard hasCertificate else { throw .missingField(number: 2) }
    }

    func serialize() -> ByteBuffer {
        var buffer = ByteBuffer()
        ProtobufWriter.write(self.signature, field: 1, to: &buffer)
        ProtobufWriter.write(self.clientAuthCertificate, field: 2, to: &buffer)
        for certificate in self.intermediateCertificates { ProtobufWriter.write(certificate, field: 3, to: &buffer) }
        if self.signatureAlgorithm != .rsassaPKCS1v15 {
            ProtobufWriter.write(self.signatureAlgorithm.rawValue, field: 4, to: &buffer)
        }
        if let senderNonce { ProtobufWriter.write(senderNonce, field: 5, to: &buffer) }
        if self.hashAlgorithm != .sha1 { ProtobufWriter.write(self.hashAlgorithm.rawValue, field: 6, to: &buffer) }
        if let crl { ProtobufWriter.write(crl, field: 7, to: &buffer) }
        return buffer
    }
}
