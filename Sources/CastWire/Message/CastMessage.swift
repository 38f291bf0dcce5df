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
    /// What a sender says to everybody is answered by the platform, since no end is called `*`.
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
