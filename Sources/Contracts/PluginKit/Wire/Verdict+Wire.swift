package import CastWire
public import HandlerKit
public import NIOCore

/// Verdicts pass for every message, so they are read and written without building JSON values.
extension Verdict {
    /// Appends the verdict as a line that answers a `message` request, without detours.
    public func write(id: PluginRequestID, to buffer: inout ByteBuffer) {
        if self.effects.isEmpty, case .reply(.text(let text)) = self.disposition,
            text.readableBytes <= PluginMessage.shortPayload,
            (try? UTF8Span(validating: text.readableBytesUInt8Span)) != nil
        {
            return Self.writeReply(text, id: id, to: &buffer)
        }
        buffer.writeStaticString(#"{"jsonrpc":"2.0","id":"#)
        RPCWriter.write(id, to: &buffer)
        buffer.writeStaticString(#","result":{"#)
        self.writeMembers(to: &buffer)
        buffer.writeStaticString("}}\n")
    }

    /// Appends what most verdicts are, all at once.
    private static func writeReply(_ text: ByteBuffer, id: PluginRequestID, to buffer: inout ByteBuffer) {
        let room = 128 + LineCursor.room(for: id) + LineCursor.room(forBytes: text.readableBytes)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { memory in
            var cursor = LineCursor(memory)
            cursor.raw(#"{"jsonrpc":"2.0","id":"#)
            cursor.id(id)
            cursor.raw(#","result":{"disposition":"reply","payload":"#)
            cursor.string(text.readableBytesUInt8Span)
            cursor.raw("}}\n")
            return cursor.count
        }
    }

    /// Appends the verdict's members, without the braces around them.
    func writeMembers(to buffer: inout ByteBuffer) {
        switch self.disposition {
        case .pass: buffer.writeStaticString(#""disposition":"pass""#)
        case .rewrite(let payload):
            buffer.writeStaticString(#""disposition":"rewrite","#)
            payload.writeMember(to: &buffer)
        case .forward(let payload):
            buffer.writeStaticString(#""disposition":"forward""#)
            if let payload {
                buffer.writeStaticString(",")
                payload.writeMember(to: &buffer)
            }
        case .reply(let payload):
            buffer.writeStaticString(#""disposition":"reply","#)
            payload.writeMember(to: &buffer)
        case .handled: buffer.writeStaticString(#""disposition":"handled""#)
        case .reject(let rejection):
            buffer.writeStaticString(#""disposition":"reject","reason":"#)
            buffer.writeJSON(rejection.reason)
            if let message = rejection.message {
                buffer.writeStaticString(#","message":"#)
                buffer.writeJSON(message)
            }
        case .drop(let reason):
            buffer.writeStaticString(#""disposition":"drop","reason":"#)
            buffer.writeJSON(reason)
        case .handOver:
            // No word of the protocol: a filter in the gateway alone names the handler that decides.
            buffer.writeStaticString(
                #""disposition":"reject","reason":"APP_ERROR","message":"a plugin cannot hand a message over""#)
        case .deferred(let maximum):
            buffer.writeStaticString(#""disposition":"defer""#)
            if let maximum {
                buffer.writeStaticString(#","maxMs":"#)
                buffer.writeDecimal(maximum.wireMilliseconds)
            }
        }
        guard !self.effects.isEmpty else { return }
        buffer.writeStaticString(#","effects":"#)
        JSONWriter.write(.array(self.effects.map { .object($0.json) }), to: &buffer)
    }
}

extension Verdict {
    private enum Word: String, CaseIterable {
        case pass, rewrite, forward, reply, handled, reject, drop
        case deferred = "defer"
    }

    /// The members as they were found.
    private struct Parts {
        var word = Word.pass
        var payload: CastMessage.Payload?
        var reason: String?
        var message: String?
        var maximum: Duration?
        var effects: [Effect] = []
    }

    private static let beginning: StaticString = #"{"disposition""#

    /// True when what stands there looks like a verdict.
    static func begins(at start: Int, _ bytes: Span<UInt8>) -> Bool {
        let count = Self.beginning.utf8CodeUnitCount
        guard start + count <= bytes.count else { return false }
        return Self.beginning.withUTF8Buffer { expected in
            for index in 0..<count where bytes[start + index] != expected[index] { return false }
            return true
        }
    }

    /// Reads the verdict of a range of a line.
    /// - Parameter messageID: set to the member `messageId`, which is none of a verdict's.
    init(
        _ content: Range<Int>, of line: ByteBuffer, path: String = "result", messageID: inout String?
    ) throws(SpanReader.Fault) {
        var scanner = JSONScanner(offset: content.lowerBound)
        try self.init(&scanner, line.readableBytesUInt8Span, of: line, path: path, messageID: &messageID)
    }

    /// Reads the verdict where the scanner stands.
    init(_ scanner: inout JSONScanner, _ bytes: Span<UInt8>, of line: ByteBuffer) throws(SpanReader.Fault) {
        var messageID: String?
        try self.init(&scanner, bytes, of: line, path: "result", messageID: &messageID)
    }

    private init(
        _ scanner: inout JSONScanner, _ bytes: Span<UInt8>, of line: ByteBuffer, path: String,
        messageID: inout String?
    ) throws(SpanReader.Fault) {
        var reader = SpanReader(at: scanner.offset, path: path)
        var parts = Parts()
        var isFirst = true
        try reader.enter(bytes)
        while let name = try reader.nextName(bytes, isFirst: &isFirst) {
            if name.matches("disposition", bytes) {
                guard let text = try reader.string("disposition", bytes) else { continue }
                guard let word = Word(rawValue: text) else {
                    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
                    throw reader.fault("disposition", "'\(text)' is none of \(words)")
                }
                parts.word = word
            } else if name.matches("payload", bytes) {
                parts.payload = try reader.payload(bytes, of: line) ?? parts.payload
            } else if name.matches("payloadB64", bytes) {
                parts.payload = try reader.binaryPayload(bytes) ?? parts.payload
            } else if name.matches("reason", bytes) {
                parts.reason = try reader.string("reason", bytes)
            } else if name.matches("message", bytes) {
                parts.message = try reader.string("message", bytes)
            } else if name.matches("maxMs", bytes) {
                parts.maximum = try reader.milliseconds("maxMs", bytes)
            } else if name.matches("effects", bytes) {
                parts.effects = try Self.effects(try reader.skip(bytes), of: line, path: path)
            } else if name.matches("messageId", bytes) {
                messageID = try reader.string("messageId", bytes)
            } else {
                try reader.skip(bytes)
            }
        }
        scanner = reader.scanner
        self.init(try Self.disposition(parts, reader), effects: parts.effects)
    }

    private static func disposition(_ parts: Parts, _ reader: SpanReader) throws(SpanReader.Fault) -> Disposition {
        switch parts.word {
        case .pass: return .pass
        case .handled: return .handled
        case .deferred: return .deferred(parts.maximum)
        case .forward: return .forward(parts.payload)
        case .rewrite:
            guard let payload = parts.payload else { throw reader.fault("payload", "is missing; rewrite needs it") }
            return .rewrite(payload)
        case .reply:
            guard let payload = parts.payload else { throw reader.fault("payload", "is missing; reply needs it") }
            return .reply(payload)
        case .reject:
            guard let reason = parts.reason else { throw reader.fault("reason", "is missing; reject needs it") }
            return .reject(Rejection(reason, parts.message))
        case .drop:
            guard let reason = parts.reason else { throw reader.fault("reason", "is missing; drop needs it") }
            return .drop(reason)
        }
    }

    /// Effects are few, so they are read by way of values.
    private static func effects(
        _ content: Range<Int>, of line: ByteBuffer, path: String
    ) throws(SpanReader.Fault) -> [Effect] {
        guard let slice = line.getSlice(at: line.readerIndex + content.lowerBound, length: content.count) else {
            return []
        }
        let value: JSONValue
        do throws(JSONError) { value = try JSONReader.read(slice) } catch { throw .json(error) }
        do throws(PluginWireError) {
            return try ObjectReader(["effects": value], at: path).optional("effects") ?? []
        } catch {
            throw .value(error)
        }
    }
}

extension Effect: WireObject {
    private enum Kind: String, ClosedWord {
        case replyToSender = "reply_to_sender"
        case broadcast
        case sendToReceiver = "send_to_receiver"
        case emit
        case put = "kv.put"
        case delete = "kv.delete"
        case log
    }

    package init(_ reader: ObjectReader) throws(PluginWireError) {
        let kind: Kind = try reader.required("do")
        switch kind {
        case .replyToSender:
            self = .replyToSender(namespace: try reader.optional("namespace"), payload: try reader.payload())
        case .broadcast:
            self = .broadcast(namespace: try reader.optional("namespace"), payload: try reader.payload())
        case .sendToReceiver:
            self = .sendToReceiver(namespace: try reader.optional("namespace"), payload: try reader.payload())
        case .emit:
            self = .emit(
                event: try reader.required("event"), data: reader.object["data"] ?? .null,
                key: try reader.optional("key"))
        case .put: self = .put(key: try reader.required("key"), value: reader.object["value"] ?? .null)
        case .delete: self = .delete(key: try reader.required("key"))
        case .log: self = .log(try reader.optional("level") ?? .info, try reader.required("message"))
        }
    }

    package var json: JSONObject {
        switch self {
        case .replyToSender(let namespace, let payload): Self.message(.replyToSender, namespace, payload)
        case .broadcast(let namespace, let payload): Self.message(.broadcast, namespace, payload)
        case .sendToReceiver(let namespace, let payload): Self.message(.sendToReceiver, namespace, payload)
        case .emit(let event, let data, let key):
            JSONObject(
                [("do", Self.word(.emit)), ("event", .string(event)), ("data", data)]
                    + (key.map { [("key", .string($0))] } ?? []))
        case .put(let key, let value): ["do": Self.word(.put), "key": .string(key), "value": value]
        case .delete(let key): ["do": Self.word(.delete), "key": .string(key)]
        case .log(let level, let message):
            ["do": Self.word(.log), "level": .string(level.rawValue), "message": .string(message)]
        }
    }

    private static func word(_ kind: Kind) -> JSONValue { .string(kind.rawValue) }

    private static func message(_ kind: Kind, _ namespace: Namespace?, _ payload: CastMessage.Payload) -> JSONObject {
        var json: JSONObject = ["do": Self.word(kind)]
        json["namespace"] = namespace.map { .string($0.rawValue) }
        let member = payload.member
        json[member.name] = member.value
        return json
    }
}
