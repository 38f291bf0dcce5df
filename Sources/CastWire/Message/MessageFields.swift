import NIOCore

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
