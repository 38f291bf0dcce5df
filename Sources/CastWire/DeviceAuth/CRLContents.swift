public import NIOCore

/// What a revocation list says, without its signature (protocol notes, 2.8: `TbsCrl`).
public struct CRLContents: Hashable, Sendable {
    /// The version of the format; only 0 is in use.
    public var version: UInt64
    /// The first moment at which the list counts, in seconds since 1970.
    public var notBefore: UInt64
    /// The last moment at which the list counts, in seconds since 1970.
    public var notAfter: UInt64
    /// SHA-256 of the public keys (`SubjectPublicKeyInfo`, DER) whose certificates are void, wherever they stand in a
    /// chain.
    public var revokedKeyHashes: [[UInt8]]
    /// Certificates that are void by issuer and serial number.
    public var revokedSerialNumbers: [SerialNumberRange]

    /// Makes the contents of a list.
    public init(
        version: UInt64 = 0, notBefore: UInt64, notAfter: UInt64, revokedKeyHashes: [[UInt8]] = [],
        revokedSerialNumbers: [SerialNumberRange] = []
    ) {
        self.version = version
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.revokedKeyHashes = revokedKeyHashes
        self.revokedSerialNumbers = revokedSerialNumbers
    }
}

extension CRLContents {
    /// The length of a SHA-256 digest. A hash of any other length is malformed, so a list is never much larger in
    /// memory than on the wire.
    static let hashLength = 32

    /// Reads what ``SignedCRL/contents`` holds. Fields that Castway does not know are skipped; those that are absent
    /// are 0 or empty, as proto2 has it.
    /// - Throws: ``WireError`` when the bytes are malformed or a hash is no SHA-256 digest.
    public init(parsing bytes: ByteBuffer) throws(WireError) {
        self.init(notBefore: 0, notAfter: 0)
        var fields = ProtobufReader(bytes)
        while let field = try fields.next(bytes.readableBytesUInt8Span) {
            switch (field.number, field.value) {
            case (1, .varint(let value)): self.version = value
            case (2, .varint(let value)): self.notBefore = value
            case (3, .varint(let value)): self.notAfter = value
            case (4, .bytes(let range)):
                guard range.count == Self.hashLength else { throw .malformedField(number: 4) }
                self.revokedKeyHashes.append(fields.array(range))
            case (5, .bytes(let range)):
                self.revokedSerialNumbers.append(try SerialNumberRange(parsing: fields.slice(range)))
            default: break
            }
        }
    }

    /// The contents as they are signed.
    public func serialize() -> ByteBuffer {
        var buffer = ByteBuffer()
        if self.version != 0 { ProtobufWriter.write(self.version, field: 1, to: &buffer) }
        ProtobufWriter.write(self.notBefore, field: 2, to: &buffer)
        ProtobufWriter.write(self.notAfter, field: 3, to: &buffer)
        for hash in self.revokedKeyHashes { ProtobufWriter.write(hash, field: 4, to: &buffer) }
        for range in self.revokedSerialNumbers { ProtobufWriter.write(range.serialize(), field: 5, to: &buffer) }
        return buffer
    }
}
