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
