/// The names of the last message of a channel; see ``CastMessage/init(parsing:recalling:)``. As long as the longest of
/// them may be, which a frame bounds.
public struct RecentNames: Sendable {
    /// A longer head is not kept.
    private static let maximumHeadLength = 512

    private static let none = MessageNames(source: "", destination: "", namespace: "")

    private(set) var last = Self.none
    /// What stands behind the head.
    private(set) var payloadType: UInt64?
    /// The bytes before the payload. Messages in a row mostly begin alike: what does is compared instead of read, which
    /// spares two thirds of the parsing.
    private var head: [UInt8] = []

    /// Starts without any.
    public init() {}

    /// How many bytes the head has, when the message begins with it; else 0.
    func lengthOfHead(in bytes: Span<UInt8>) -> Int {
        let count = self.head.count
        guard count > 0, count < bytes.count else { return 0 }
        return bytes.extracting(first: count).equals(self.head.span) ? count : 0
    }

    /// Takes the names of a message. What is called as before is not made again: making three strings costs more than
    /// the rest of the parsing.
    /// - Throws: ``WireError`` when a field is missing, empty or no text; the names are then as before.
    mutating func learn(_ fields: MessageFields, _ bytes: Span<UInt8>) throws(WireError) {
        guard fields.hasVersion else { throw .missingField(number: MessageFields.Number.protocolVersion) }
        let source = bytes.extracting(try Self.required(fields.source, field: MessageFields.Number.source))
        let destination = bytes.extracting(
            try Self.required(fields.destination, field: MessageFields.Number.destination))
        let namespace = bytes.extracting(try Self.required(fields.namespace, field: MessageFields.Number.namespace))
        let last = self.last
        let hasSource = source.equals(last.source.rawValue.utf8Span.span)
        let hasDestination = destination.equals(last.destination.rawValue.utf8Span.span)
        let hasNamespace = namespace.equals(last.namespace.rawValue.utf8Span.span)
        if !hasSource || !hasDestination || !hasNamespace {
            self.last = MessageNames(
                source: hasSource
                    ? last.source
                    : EndpointID(rawValue: try Self.text(source, field: MessageFields.Number.source)),
                destination: hasDestination
                    ? last.destination
                    : EndpointID(rawValue: try Self.text(destination, field: MessageFields.Number.destination)),
                namespace: hasNamespace
                    ? last.namespace
                    : Namespace(rawValue: try Self.text(namespace, field: MessageFields.Number.namespace)))
        }
        self.payloadType = fields.payloadType
        self.head.removeAll(keepingCapacity: true)
        guard let length = fields.headLength, length <= Self.maximumHeadLength else { return }
        for index in 0..<length { self.head.append(bytes[index]) }
    }

    /// A required field that names something, so it may not be empty.
    private static func required(_ range: Range<Int>?, field: Int) throws(WireError) -> Range<Int> {
        guard let range else { throw .missingField(number: field) }
        guard !range.isEmpty else { throw .emptyField(number: field) }
        return range
    }

    private static func text(_ bytes: Span<UInt8>, field: Int) throws(WireError) -> String {
        guard let text = try? UTF8Span(validating: bytes) else { throw .invalidText(number: field) }
        return String(copying: text)
    }
}

extension Span<UInt8> {
    /// Compares eight bytes at a time.
    fileprivate func equals(_ other: Span<UInt8>) -> Bool {
        guard self.count == other.count else { return false }
        var offset = 0
        while offset + 8 <= self.count {
            guard
                self.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    == other.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            else { return false }
            offset += 8
        }
        while offset < self.count {
            guard self[offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }
}
