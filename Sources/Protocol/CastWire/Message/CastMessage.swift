public import NIOCore

/// One message of CASTV2: who sends it, to whom, in which namespace, and its payload (protocol notes, 2.2).
///
/// The payload stays in the bytes that came in, so a message that is only forwarded leaves exactly as it arrived. The
/// names are shared between copies, and between the messages of a channel, since a message is copied some ten times on
/// its way.
public struct CastMessage: Sendable {
    /// What a message carries. The bytes are shared with the frame that they came in, not copied.
    public enum Payload: Hashable, Sendable {
        /// UTF-8 text, JSON in every namespace of Google's.
        case text(ByteBuffer)
        /// Bytes, as device authentication uses them.
        case binary(ByteBuffer)
    }

    /// The largest body of a frame, in bytes; senders and devices close the channel above it (protocol notes, 2.1).
    public static let maximumBodyLength = 65_536
    /// The longest payload that fits whatever the message is called, in bytes.
    public static let maximumPayloadLength = Self.maximumBodyLength - 1024

    /// Who sends it, to whom, in which namespace.
    public var names: MessageNames
    /// The content.
    public var payload: Payload
    /// Fields that Castway does not read, as they stood on the wire; written again behind the known ones.
    public var unknownFields: ByteBuffer?

    /// Makes a message.
    public init(source: EndpointID, destination: EndpointID, namespace: Namespace, payload: Payload) {
        self.init(MessageNames(source: source, destination: destination, namespace: namespace), payload: payload)
    }

    init(_ names: MessageNames, payload: Payload) {
        self.names = names
        self.payload = payload
    }

    /// The sending end.
    public var source: EndpointID {
        get { self.names.source }
        set {
            self.names = MessageNames(
                source: newValue, destination: self.names.destination, namespace: self.names.namespace)
        }
    }

    /// The receiving end, or `*` for all that are connected to the source.
    public var destination: EndpointID {
        get { self.names.destination }
        set {
            self.names = MessageNames(
                source: self.names.source, destination: newValue, namespace: self.names.namespace)
        }
    }

    /// What the payload means.
    public var namespace: Namespace {
        get { self.names.namespace }
        set {
            self.names = MessageNames(
                source: self.names.source, destination: self.names.destination, namespace: newValue)
        }
    }

    /// What the namespace is for.
    public var family: Namespace.Family { self.names.namespace.family }

    /// True when the message is for all that are connected to its source.
    public var isBroadcast: Bool { self.names.isBroadcast }

    /// True when the message is for the receiver platform, `receiver-0`.
    public var isToPlatform: Bool { self.names.isToPlatform }

    /// Makes a message with a JSON payload.
    public init(source: EndpointID, destination: EndpointID, namespace: Namespace, json: JSONObject) {
        self.init(source: source, destination: destination, namespace: namespace, payload: .json(json))
    }

    /// The message that answers this one on the same virtual connection: ends swapped, same namespace.
    ///
    /// The platform answers what a sender broadcasts, since no end is called `*`.
    public func reply(_ payload: Payload) -> CastMessage {
        CastMessage(
            source: self.destination == .broadcast ? .platformReceiver : self.destination, destination: self.source,
            namespace: self.namespace, payload: payload)
    }

    /// The JSON answer to this message, ends swapped, same namespace.
    public func reply(json: JSONObject) -> CastMessage {
        self.reply(.json(json))
    }
}

extension CastMessage: Hashable {
    /// True when everything that goes onto the wire is equal.
    public static func == (left: CastMessage, right: CastMessage) -> Bool {
        left.names == right.names && left.payload == right.payload && left.unknownFields == right.unknownFields
    }

    /// Hashes everything that goes onto the wire.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.names)
        hasher.combine(self.payload)
        hasher.combine(self.unknownFields)
    }
}

extension CastMessage.Payload {
    /// A text payload from a string.
    public static func text(_ string: String) -> Self {
        .text(ByteBuffer(string: string))
    }

    /// A text payload that holds a JSON object.
    public static func json(_ object: JSONObject) -> Self {
        var buffer = ByteBuffer()
        JSONWriter.write(.object(object), to: &buffer)
        return .text(buffer)
    }

    /// The bytes, whichever kind they are.
    public var bytes: ByteBuffer {
        switch self {
        case .text(let buffer), .binary(let buffer): buffer
        }
    }

    /// The text, or nil for a binary payload.
    public var text: String? {
        guard case .text(let buffer) = self else { return nil }
        return String(buffer: buffer)
    }

    /// The payload read as a JSON object, or nil when it is something else.
    public var jsonObject: JSONObject? {
        guard case .text(let buffer) = self, case .object(let object)? = try? JSONReader.read(buffer) else {
            return nil
        }
        return object
    }
}

private typealias Number = MessageFields.Number

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
            guard let text = found.text else { throw .missingField(number: Number.payloadText) }
            let payload = try fields.text(bytes, text, field: Number.payloadText)
            self.init(names.last, payload: .text(payload))
        case 1:
            guard let binary = found.binary else { throw .missingField(number: Number.payloadBinary) }
            self.init(names.last, payload: .binary(fields.slice(binary)))
        case .some(let value): throw .invalidValue(number: Number.payloadType, value: value)
        case nil: throw .missingField(number: Number.payloadType)
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
            out.write(tag: Number.protocolVersion << 3, value: 0)
            out.write(names.source.rawValue, field: Number.source)
            out.write(names.destination.rawValue, field: Number.destination)
            out.write(names.namespace.rawValue, field: Number.namespace)
            switch self.payload {
            case .text(let text):
                out.write(tag: Number.payloadType << 3, value: 0)
                out.write(text, field: Number.payloadText)
            case .binary(let bytes):
                out.write(tag: Number.payloadType << 3, value: 1)
                out.write(bytes, field: Number.payloadBinary)
            }
            if let unknownFields { out.write(raw: unknownFields) }
            return out.count
        }
    }
}
