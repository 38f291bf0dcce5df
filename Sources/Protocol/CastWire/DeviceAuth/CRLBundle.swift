public import NIOCore

/// The revocation lists that a device passes on in ``AuthResponse/crl``, one for each version of their format
/// (protocol notes, 2.8: `CrlBundle`).
public struct CRLBundle: Hashable, Sendable {
    /// The lists, in the order of the bundle.
    public var lists: [SignedCRL]

    /// Makes a bundle.
    public init(_ lists: [SignedCRL]) {
        self.lists = lists
    }
}

extension CRLBundle {
    /// How many lists a bundle may hold; there is one version of the format.
    public static let maximumLists = 16

    /// Reads a bundle. Fields that Castway does not know are skipped.
    /// - Throws: ``WireError`` when the bytes are malformed, a list lacks a part, or there are too many.
    public init(parsing bytes: ByteBuffer) throws(WireError) {
        self.init([])
        var fields = ProtobufReader(bytes)
        while let field = try fields.next(bytes.readableBytesUInt8Span) {
            guard case (1, .bytes(let range)) = (field.number, field.value) else { continue }
            guard self.lists.count < Self.maximumLists else { throw .malformedField(number: 1) }
            self.lists.append(try SignedCRL(parsing: fields.slice(range)))
        }
    }

    /// The bundle as ``AuthResponse/crl`` holds it.
    public func serialize() -> ByteBuffer {
        var buffer = ByteBuffer()
        for list in self.lists { ProtobufWriter.write(list.serialize(), field: 1, to: &buffer) }
        return buffer
    }
}

/// A revocation list with the signature over it (protocol notes, 2.8: `Crl`).
public struct SignedCRL: Hashable, Sendable {
    /// What is signed, byte for byte: a ``CRLContents`` on the wire.
    public var contents: [UInt8]
    /// The signer's certificate, DER.
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
