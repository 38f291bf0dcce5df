import NIOCore

/// Certificates of one issuer that are void (protocol notes, 2.8).
public struct SerialNumberRange: Hashable, Sendable {
    /// SHA-256 of the issuer's public key (`SubjectPublicKeyInfo`, DER).
    public var issuerKeyHash: [UInt8]
    /// The first serial number that is void.
    public var first: UInt64
    /// The last one; a range that ends before it begins makes its list invalid.
    public var last: UInt64

    /// Makes a range.
    public init(issuerKeyHash: [UInt8], first: UInt64, last: UInt64) {
        self.issuerKeyHash = issuerKeyHash
        self.first = first
        self.last = last
    }
}

extension SerialNumberRange {
    init(parsing body: ByteBuffer) throws(WireError) {
        var issuerKeyHash: [UInt8]?
        var first: UInt64 = 0
        var last: UInt64 = 0
        var fields = ProtobufReader(body)
        while let field = try fields.next(body.readableBytesUInt8Span) {
            switch (field.number, field.value) {
            case (1, .bytes(let range)):
                guard range.count == CRLContents.hashLength else { throw .malformedField(number: 1) }
                issuerKeyHash = fields.array(range)
            case (2, .varint(let value)): first = value
            case (3, .varint(let value)): last = value
            default: break
            }
        }
        guard let issuerKeyHash else { throw .missingField(number: 1) }
        self.init(issuerKeyHash: issuerKeyHash, first: first, last: last)
    }

    func serialize() -> ByteBuffer {
        var buffer = ByteBuffer()
        ProtobufWriter.write(self.issuerKeyHash, field: 1, to: &buffer)
        ProtobufWriter.write(self.first, field: 2, to: &buffer)
        ProtobufWriter.write(self.last, field: 3, to: &buffer)
        return buffer
    }
}
