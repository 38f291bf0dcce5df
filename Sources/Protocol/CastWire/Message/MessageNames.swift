import NIOCore

/// Source, destination and namespace of messages; never changes, so any number of messages may share it.
///
/// What every message is asked on its way is answered here once, without handing out a name: a name that is handed out
/// is retained and released, and half of a forwarded message's CPU was that.
///
/// Messages that follow each other on a channel with the same names have the same object, so a handler that
/// found out something about the one before needs to compare nothing but the object.
public final class MessageNames: Sendable {
    /// The sending end.
    public let source: EndpointID
    /// The receiving end, or `*`.
    public let destination: EndpointID
    /// What the payload means.
    public let namespace: Namespace
    let isBroadcast: Bool
    let isToPlatform: Bool
    /// How many bytes the names take in a message.
    let serializedLength: Int

    /// Puts names together.
    public init(source: EndpointID, destination: EndpointID, namespace: Namespace) {
        self.source = source
        self.destination = destination
        self.namespace = namespace
        self.isBroadcast = destination == .broadcast
        self.isToPlatform = destination == .platformReceiver
        self.serializedLength =
            ProtobufWriter.length(ofBytes: source.rawValue.utf8.count)
            + ProtobufWriter.length(ofBytes: destination.rawValue.utf8.count)
            + ProtobufWriter.length(ofBytes: namespace.rawValue.utf8.count)
    }
}

extension MessageNames: Hashable {
    /// True when all names are equal.
    public static func == (left: MessageNames, right: MessageNames) -> Bool {
        left === right
            || left.namespace == right.namespace && left.source == right.source
                && left.destination == right.destination
    }

    /// Hashes the names.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.source)
        hasher.combine(self.destination)
        hasher.combine(self.namespace)
    }
}

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

/// Where the fields of one `CastMessage` stand in its bytes (protocol notes, 2.2).
struct MessageFields {
    /// The numbers of the fields.
    enum Number {
        static let protocolVersion = 1
        static let source = 2
        static let destination = 3
        static let namespace = 4
        static let payloadType = 5
        static let payloadText = 6
        static let payloadBinary = 7
        /// What a head says: behind the payload it says something else.
        static let head = source...payloadType
    }

    private(set) var hasVersion = false
    private(set) var source: Range<Int>?
    private(set) var destination: Range<Int>?
    private(set) var namespace: Range<Int>?
    private(set) var payloadType: UInt64?
    private(set) var text: Range<Int>?
    private(set) var binary: Range<Int>?
    private(set) var unknown: ByteBuffer?
    /// How many bytes stand before the payload, when these say all that is known but the payload, and nothing else.
    private(set) var headLength: Int?

    /// Reads what `fields` has left. Known fields may stand in any order, the last of a repeated one counts.
    init(_ fields: inout ProtobufReader, _ bytes: Span<UInt8>) throws(WireError) {
        while let field = try fields.next(bytes) {
            switch (field.number, field.value) {
            case (Number.payloadText, .bytes(let range)):
                self.noteHead(before: field)
                self.text = range
            case (Number.payloadBinary, .bytes(let range)):
                self.noteHead(before: field)
                self.binary = range
            case (Number.protocolVersion, .varint): self.hasVersion = true
            case (Number.source, .bytes(let range)): self.source = range
            case (Number.destination, .bytes(let range)): self.destination = range
            case (Number.namespace, .bytes(let range)): self.namespace = range
            case (Number.payloadType, .varint(let value)): self.payloadType = value
            default: fields.copy(field, to: &self.unknown)
            }
            if Number.head.contains(field.number) { self.headLength = nil }
        }
    }

    private mutating func noteHead(before payload: ProtobufReader.Field) {
        guard self.text == nil, self.binary == nil, self.unknown == nil, self.hasVersion, self.source != nil,
            self.destination != nil, self.namespace != nil, self.payloadType != nil
        else { return }
        self.headLength = payload.whole.lowerBound
    }

    /// True when there is a field that a head has, other than the version, whose value does not matter.
    var hasHeadField: Bool {
        self.source != nil || self.destination != nil || self.namespace != nil || self.payloadType != nil
    }
}
