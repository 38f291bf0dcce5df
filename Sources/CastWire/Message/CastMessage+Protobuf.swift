public import NIOCore

private typealias Field = MessageFields.Number

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
        let bytes = body.readableBytesUInt8Span
        let start = names.lengthOfHead(in: bytes)
        var fields = ProtobufReader(body, from: start)
        var found = try MessageFields(&fields, bytes)
        if start > 0, found.hasHeadField {
            // Named once more behind the head: of a field that is repeated the last counts.
            fields = ProtobufReader(body)
            found = try MessageFields(&fields, bytes)
        }
        let isRecalled = start > 0 && !found.hasHeadField
        if !isRecalled { try names.learn(found, bytes) }
        switch isRecalled ? names.payloadType : found.payloadType {
        case 0:
            guard let text = found.text else { throw .missingField(number: Field.payloadText) }
            let payload = try fields.text(bytes, text, field: Field.payloadText)
            self.init(names.last, payload: .text(payload))
        case 1:
            guard let binary = found.binary else { throw .missingField(number: Field.payloadBinary) }
            self.init(names.last, payload: .binary(fields.slice(binary)))
        case .some(let value): throw .invalidValue(number: Field.payloadType, value: value)
        case nil: throw .missingField(number: Field.payloadType)
        }
        self.unknownFields = found.unknown
    }

    /// The length of the serialised message, without the frame's header.
    public var serializedLength: Int { self.serializedLength(as: self.names) }

    private func serializedLength(as names: MessageNames) -> Int {
        let payload =
            switch self.payload {
            case .text(let bytes), .binary(let bytes): bytes.readableBytes
            }
        return 4  // version and payload type, a tag and a zero or one each
            + names.serializedLength + ProtobufWriter.length(ofBytes: payload)
            + (self.unknownFields?.readableBytes ?? 0)
    }

    /// Appends the message without a frame header.
    ///
    /// The version is always 1.0: some peers close the channel for any other (protocol notes, 2.2).
    public func serialize(into buffer: inout ByteBuffer) {
        self.serialize(as: self.names, length: self.serializedLength, hasHeader: false, into: &buffer)
    }

    /// Appends the message as a frame: four bytes of length, most significant first, then the body.
    /// - Parameter names: what the message is called in the frame; nil for its own names.
    /// - Throws: ``WireError/frameTooLarge(declared:limit:)`` when no peer would accept it; nothing is written then.
    public func serializeFrame(as names: MessageNames? = nil, into buffer: inout ByteBuffer) throws(WireError) {
        let names = names ?? self.names
        let length = self.serializedLength(as: names)
        guard length <= Self.maximumBodyLength else {
            throw .frameTooLarge(declared: length, limit: Self.maximumBodyLength)
        }
        self.serialize(as: names, length: length, hasHeader: true, into: &buffer)
    }

    private func serialize(as names: MessageNames, length: Int, hasHeader: Bool, into buffer: inout ByteBuffer) {
        let total = length + (hasHeader ? 4 : 0)
        _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: total) { memory in
            var out = MessageWriter(memory)
            if hasHeader { out.write(length: length) }
            out.write(tag: Field.protocolVersion << 3, value: 0)
            out.write(names.source.rawValue, field: Field.source)
            out.write(names.destination.rawValue, field: Field.destination)
            out.write(names.namespace.rawValue, field: Field.namespace)
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
