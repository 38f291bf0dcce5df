public import NIOCore

/// The field numbers of `CastMessage` (protocol notes, 2.2).
private enum Field {
    static let protocolVersion = 1
    static let source = 2
    static let destination = 3
    static let namespace = 4
    static let payloadType = 5
    static let payloadText = 6
    static let payloadBinary = 7
}

extension CastMessage {
    /// Reads one message from the whole of `body`, the bytes behind a frame's length.
    ///
    /// Known fields may stand in any order, the last of a repeated one counts; unknown ones are kept aside.
    /// Required enumerations must stand on the wire even when they are zero (proto2).
    /// - Throws: ``WireError`` when the bytes are not a message.
    public init(parsing body: ByteBuffer) throws(WireError) {
        var names = RecentNames()
        try self.init(parsing: body, recalling: &names)
    }

    /// Reads one message as ``init(parsing:)`` does, where messages of one channel follow each other.
    /// - Parameter names: what the messages before were called; a name that comes again is not made again.
    /// - Throws: ``WireError`` when the bytes are not a message.
    public init(parsing body: ByteBuffer, recalling names: inout RecentNames) throws(WireError) {
        var fields = ProtobufReader(body)
        let bytes = body.readableBytesUInt8Span
        var source: Range<Int>?
        var destination: Range<Int>?
        var namespace: Range<Int>?
        var text: Range<Int>?
        var binary: Range<Int>?
        var payloadType: UInt64?
        var hasVersion = false
        var unknown: ByteBuffer?

        while let field = try fields.next(bytes) {
            switch (field.number, field.value) {
            case (Field.protocolVersion, .varint): hasVersion = true
            case (Field.source, .bytes(let range)): source = range
            case (Field.destination, .bytes(let range)): destination = range
            case (Field.namespace, .bytes(let range)): namespace = range
            case (Field.payloadType, .varint(let value)): payloadType = value
            case (Field.payloadText, .bytes(let range)): text = range
            case (Field.payloadBinary, .bytes(let range)): binary = range
            default: fields.copy(field, to: &unknown)
            }
        }

        guard hasVersion else { throw .missingField(number: Field.protocolVersion) }
        let found = try names.names(
            bytes, source: source, destination: destination, namespace: namespace,
            fields: (Field.source, Field.destination, Field.namespace))
        switch payloadType {
        case 0:
            guard let text else { throw .missingField(number: Field.payloadText) }
            self.init(found, payload: .text(try fields.text(bytes, text, field: Field.payloadText)))
        case 1:
            guard let binary else { throw .missingField(number: Field.payloadBinary) }
            self.init(found, payload: .binary(fields.slice(binary)))
        case .some(let value): throw .invalidValue(number: Field.payloadType, value: value)
        case nil: throw .missingField(number: Field.payloadType)
        }
        self.unknownFields = unknown
    }

    /// The length of the serialised message, without the frame's header.
    public var serializedLength: Int {
        let payload =
            switch self.payload {
            case .text(let bytes), .binary(let bytes): bytes.readableBytes
            }
        return 4  // version and payload type, a tag and a zero or one each
            + ProtobufWriter.length(ofBytes: self.source.rawValue.utf8.count)
            + ProtobufWriter.length(ofBytes: self.destination.rawValue.utf8.count)
            + ProtobufWriter.length(ofBytes: self.namespace.rawValue.utf8.count)
            + ProtobufWriter.length(ofBytes: payload)
            + (self.unknownFields?.readableBytes ?? 0)
    }

    /// Appends the message without a frame header.
    ///
    /// The version is always 1.0: some peers close the channel for any other (protocol notes, 2.2).
    public func serialize(into buffer: inout ByteBuffer) {
        self.serialize(length: self.serializedLength, hasHeader: false, into: &buffer)
    }

    /// Appends the message as a frame: four bytes of length, most significant first, then the body.
    /// - Throws: ``WireError/frameTooLarge(declared:limit:)`` when no peer would accept it; nothing is written then.
    public func serializeFrame(into buffer: inout ByteBuffer) throws(WireError) {
        let length = self.serializedLength
        guard length <= Self.maximumBodyLength else {
            throw .frameTooLarge(declared: length, limit: Self.maximumBodyLength)
        }
        self.serialize(length: length, hasHeader: true, into: &buffer)
    }

    private func serialize(length: Int, hasHeader: Bool, into buffer: inout ByteBuffer) {
        let total = length + (hasHeader ? 4 : 0)
        _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: total) { memory in
            var out = MessageWriter(memory)
            if hasHeader { out.write(length: length) }
            out.write(tag: Field.protocolVersion << 3, value: 0)
            out.write(self.source.rawValue, field: Field.source)
            out.write(self.destination.rawValue, field: Field.destination)
            out.write(self.namespace.rawValue, field: Field.namespace)
            switch self.payload {
            case .text(let text):
                out.write(tag: Field.payloadType << 3, value: 0)
                out.write(text, field: Field.payloadText)
            case .binary(let bytes):
                out.write(tag: Field.payloadType << 3, value: 1)
                out.write(bytes, field: Field.payloadBinary)
            }
            if let unknownFields { out.write(raw: unknownFields) }
            return out.count
        }
    }
}
