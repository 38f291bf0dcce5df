import NIOCore

/// A revocation list with the signature over it (protocol notes, 2.8: `Crl`).
public struct SignedCRL: Hashable, Sendable {
    /// What is signed, byte for byte: a ``CRLContents`` on the wire.
    public var contents: [UInt8]
    /// The certificate of the one who signed, DER.
    public var signerCertificate: [UInt8]
    /// An RSASSA-PKCS1-v1_5 signature with SHA-256 over ``contents``.
    public var signature: [UInt8]

    /// Makes a signed list.
    public init(contents: [UInt8], signerCertificate: [UInt8], signature: [UInt8]) {
        self.contents = contents
        self.signerCertificate = signerCertificate
        self.signature = signature
    }
}

extension SignedCRL {
    init(parsing body: ByteBuffer) throws(WireError) {
        var contents: [UInt8]?
        var signerCertificate: [UInt8]?
        var signature: [UInt8]?
        var fields = ProtobufReader(body)
        while let field = try fields.next(body.readableBytesUInt8Span) {
            switch (field.number, field.value) {
            case (1, .bytes(let range)): contents = fields.array(range)
            case (2, .bytes(let range)): signerCertificate = fields.array(range)
            case (3, .bytes(let range)): signature = fields.array(range)
            default: break
            }
        }
        guard let contents else { throw .missingField(number: 1) }
        guard let signerCertificate else { throw .missingField(number: 2) }
        guard let signature else { throw .missingField(number: 3) }
        self.init(contents: contents, signerCertificate: signerCertificate, signature: signature)
    }

    func serialize() -> ByteBuffer {
        var buffer = ByteBuffer()
        ProtobufWriter.write(self.contents, field: 1, to: &buffer)
        ProtobufWriter.write(self.signerCertificate, field: 2, to: &buffer)
        ProtobufWriter.write(self.signature, field: 3, to: &buffer)
        return buffer
    }
}
