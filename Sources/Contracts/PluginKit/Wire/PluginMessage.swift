public import CastWire
import NIOCore

/// A Cast message as a plugin sees it, with where it came from.
public struct PluginMessage: Hashable, Sendable {
    /// The gateway's id of the message, unique while the gateway runs.
    public var id: String
    /// Where it comes from and goes to.
    public var route: PluginRoute
    /// The exact content.
    public var payload: CastMessage.Payload
    /// The payload's `type`, if it is JSON and has one.
    public var type: String?
    /// The payload's `requestId`, if it is JSON and has one.
    public var requestID: RequestID?

    /// Describes a message whose payload was looked into already.
    public init(id: String, route: PluginRoute, payload: CastMessage.Payload, summary: PayloadSummary) {
        self.id = id
        self.route = route
        self.payload = payload
        self.type = summary.type
        self.requestID = summary.requestID
    }

    /// Describes a message; `type` and `requestID` are found in the payload.
    public init(
        id: String, device: String, leg: MessageLeg = .sender, direction: MessageDirection = .toReceiver,
        connection: Int? = nil, sender: String? = nil, session: String? = nil, app: String? = nil,
        source: EndpointID, destination: EndpointID, namespace: Namespace, payload: CastMessage.Payload
    ) {
        self.init(
            id: id, device: device, leg: leg, direction: direction, connection: connection, sender: sender,
            session: session,
            app: app, source: source, destination: destination, namespace: namespace, payload: payload,
            summary: PayloadSummary(peeking: payload))
    }

    /// Describes a message whose payload was looked into already.
    public init(
        id: String, device: String, leg: MessageLeg = .sender, direction: MessageDirection, connection: Int?,
        sender: String?, session: String?, app: String?, source: EndpointID, destination: EndpointID,
        namespace: Namespace,
        payload: CastMessage.Payload, summary: PayloadSummary
    ) {
        let route = PluginRoute(
            device: device, leg: leg, direction: direction, connection: connection, sender: sender, session: session,
            app: app, source: source, destination: destination, namespace: namespace)
        self.init(id: id, route: route, payload: payload, summary: summary)
    }

    /// The virtual device that it passes, by its name in `gateway.yaml`; on the leg ``MessageLeg/own`` the real one.
    public var device: String { self.route.device }
    /// Whose connection to the app it passes.
    public var leg: MessageLeg { self.route.leg }
    /// Which way it travels.
    public var direction: MessageDirection { self.route.direction }
    /// The number of the sender's channel; nil for what the device says by itself.
    public var connection: Int? { self.route.connection }
    /// The sender's address without the port; nil for what the device says.
    public var sender: String? { self.route.sender }
    /// The id of the session with the app, if the message goes to or comes from one.
    public var session: String? { self.route.session }
    /// That app's id.
    public var app: String? { self.route.app }
    /// The sending end.
    public var source: EndpointID { self.route.source }
    /// The receiving end, or `*`.
    public var destination: EndpointID { self.route.destination }
    /// The namespace.
    public var namespace: Namespace { self.route.namespace }

    /// The payload as a JSON object; nil when it is something else.
    public var json: JSONObject? { self.payload.jsonObject }
}

extension PluginMessage {
    /// Reads a message where the reader stands.
    init(
        _ reader: inout SpanReader, _ bytes: Span<UInt8>, of line: ByteBuffer, recalling recall: inout RouteRecall
    ) throws(SpanReader.Fault) {
        var id: String?
        var payload: CastMessage.Payload?
        var summary = PayloadSummary()
        var draft: RouteDraft?
        /// The route as the last message had it, as long as nothing else is said.
        var known: PluginRoute?
        /// Where the members of the route begin, and where they end.
        var routeStart: Int?
        var routeEnd: Int?
        var isFirst = true
        try reader.enter(bytes)
        while true {
            if !isFirst, draft == nil, known == nil, let route = recall.route(at: reader.scanner.offset, bytes) {
                known = route
                reader.scanner.offset += recall.bytes.count
            }
            let start = reader.scanner.offset
            guard let name = try reader.nextName(bytes, isFirst: &isFirst) else { break }
            switch name.length {
            case 2 where name.matches("id", bytes):
                if routeEnd == nil { routeStart = nil }
                id = try reader.string("id", bytes)
            case 4 where name.matches("type", bytes):
                if routeEnd == nil { routeStart = nil }
                summary.type = try reader.string("type", bytes)
            case 7 where name.matches("payload", bytes):
                routeEnd = routeEnd ?? start
                payload = try reader.payload(bytes, of: line) ?? payload
            case 9 where name.matches("requestId", bytes):
                if routeEnd == nil { routeStart = nil }
                summary.requestID = try reader.requestID("requestId", bytes)
            case 10 where name.matches("payloadB64", bytes):
                routeEnd = routeEnd ?? start
                payload = try reader.binaryPayload(bytes) ?? payload
            default:
                var changed = draft ?? known.map { RouteDraft($0) } ?? RouteDraft()
                if try changed.take(name, &reader, bytes) {
                    if draft == nil, known == nil { routeStart = start }
                    // What stands behind the payload is not recalled.
                    if routeEnd != nil { routeStart = nil }
                    draft = changed
                } else {
                    try reader.skip(bytes)
                    if routeEnd == nil { routeStart = nil }
                }
            }
        }
        guard let id else { throw reader.fault("message.id", "is missing") }
        let route: PluginRoute
        if draft == nil, let known {
            route = known
        } else {
            route = try (draft ?? RouteDraft()).finish(reader)
            if known == nil, let routeStart, let routeEnd { recall.learn(routeStart..<routeEnd, bytes, route) }
        }
        guard let payload else { throw reader.fault("message.payload", "is missing") }
        self.init(id: id, route: route, payload: payload, summary: summary)
    }
}

extension PluginMessage {
    /// A payload up to this is written with all the rest at once.
    static let shortPayload = 8_192

    /// How much the message takes at most, without a payload that is not short text.
    var room: Int {
        let route = self.route
        var room =
            256 + 2 * LineCursor.roomForNumber + LineCursor.room(for: self.id) + LineCursor.room(for: route.device)
            + LineCursor.room(for: route.sender) + LineCursor.room(for: route.session)
            + LineCursor.room(for: route.app) + LineCursor.room(for: route.source.rawValue)
            + LineCursor.room(for: route.destination.rawValue) + LineCursor.room(for: route.namespace.rawValue)
            + LineCursor.room(for: self.type)
        if let text = self.shortText { room += LineCursor.room(forBytes: text.readableBytes) }
        return room
    }

    /// The payload, when it is short text.
    private var shortText: ByteBuffer? {
        guard case .text(let text) = self.payload, text.readableBytes <= Self.shortPayload,
            (try? UTF8Span(validating: text.readableBytesUInt8Span)) != nil
        else { return nil }
        return text
    }

    /// Writes the message as an object, as far as its payload and with it.
    /// - Returns: false when the payload is to be written by other means, and is still missing.
    func writeFront(_ cursor: inout LineCursor) -> Bool {
        let route = self.route
        cursor.raw(#"{"id":"#)
        cursor.string(self.id)
        cursor.raw(#","device":"#)
        cursor.string(route.device)
        if route.leg == .own { cursor.raw(#","leg":"own""#) }
        switch route.direction {
        case .toReceiver: cursor.raw(#","direction":"to_receiver""#)
        case .toSender: cursor.raw(#","direction":"to_sender""#)
        }
        if let connection = route.connection {
            cursor.raw(#","connection":"#)
            cursor.number(connection)
        }
        if let sender = route.sender {
            cursor.raw(#","sender":"#)
            cursor.string(sender)
        }
        if let session = route.session {
            cursor.raw(#","session":"#)
            cursor.string(session)
        }
        if let app = route.app {
            cursor.raw(#","app":"#)
            cursor.string(app)
        }
        cursor.raw(#","source":"#)
        cursor.string(route.source.rawValue)
        cursor.raw(#","destination":"#)
        cursor.string(route.destination.rawValue)
        cursor.raw(#","namespace":"#)
        cursor.string(route.namespace.rawValue)
        guard let text = self.shortText else {
            cursor.raw(",")
            return false
        }
        cursor.raw(#","payload":"#)
        cursor.string(text.readableBytesUInt8Span)
        return true
    }

    /// Appends what stands behind the payload.
    func writeBack(to buffer: inout ByteBuffer) {
        if let type {
            buffer.writeStaticString(#","type":"#)
            buffer.writeJSON(type)
        }
        if let requestID {
            buffer.writeStaticString(#","requestId":"#)
            JSONWriter.write(requestID.json, to: &buffer)
        }
        buffer.writeStaticString("}")
    }

    /// Appends the message as an object.
    func write(to buffer: inout ByteBuffer) {
        var isWritten = false
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: self.room) { memory in
            var cursor = LineCursor(memory)
            isWritten = self.writeFront(&cursor)
            return cursor.count
        }
        if !isWritten { self.payload.writeMember(to: &buffer) }
        self.writeBack(to: &buffer)
    }
}

extension PluginMessage {
    /// The payload as a type.
    /// - Throws: ``Rejection`` with `INVALID_PARAMS`, which a handler can let through: the sender learns what is
    ///   wrong.
    public func decode<Value: Decodable>(_: Value.Type = Value.self) throws(Rejection) -> Value {
        guard let json = self.json else { throw .invalidParameters("the payload is no JSON object") }
        do throws(JSONCodingError) {
            return try JSONValueDecoder.decode(Value.self, from: .object(json))
        } catch {
            throw .invalidParameters(error.description)
        }
    }

    /// The payload as one of Cast's own messages, such as `MediaRequest`; nil when it is no JSON object.
    public func decode<Value: MessagePayload>(as _: Value.Type = Value.self) -> Value? {
        Value(self.payload)
    }
}

extension CastMessage.Payload {
    /// A value as a text payload that holds JSON.
    /// - Throws: ``JSONCodingError`` when the value cannot be written as JSON, such as infinity.
    public static func encoding(_ value: some Encodable) throws(JSONCodingError) -> CastMessage.Payload {
        .text(try JSONValueEncoder.encode(value).text)
    }
}
