/// The names of the last message of a channel; see ``CastMessage/init(parsing:recalling:)``. As long as the longest of
/// them may be, which a frame bounds.
public struct RecentNames: Sendable {
    private var last = MessageNames(source: "", destination: "", namespace: "")

    /// Starts without any.
    public init() {}

    /// The names that stand in these ranges. The messages of a channel mostly repeat their names, and making three
    /// strings costs more than the rest of the parsing, so what comes again is not made again.
    mutating func names(
        _ bytes: Span<UInt8>, source: Range<Int>?, destination: Range<Int>?, namespace: Range<Int>?,
        fields: (source: Int, destination: Int, namespace: Int)
    ) throws(WireError) -> MessageNames {
        let source = bytes.extracting(try Self.required(source, field: fields.source))
        let destination = bytes.extracting(try Self.required(destination, field: fields.destination))
        let namespace = bytes.extracting(try Self.required(namespace, field: fields.namespace))
        let last = self.last
        let hasSource = source.equals(last.source.rawValue)
        let hasDestination = destination.equals(last.destination.rawValue)
        let hasNamespace = namespace.equals(last.namespace.rawValue)
        if hasSource && hasDestination && hasNamespace { return last }
        self.last = MessageNames(
            source: hasSource ? last.source : EndpointID(rawValue: try Self.text(source, field: fields.source)),
            destination: hasDestination
                ? last.destination : EndpointID(rawValue: try Self.text(destination, field: fields.destination)),
            namespace: hasNamespace
                ? last.namespace : Namespace(rawValue: try Self.text(namespace, field: fields.namespace)))
        return self.last
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
    fileprivate func equals(_ text: String) -> Bool {
        let other = text.utf8Span.span
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
