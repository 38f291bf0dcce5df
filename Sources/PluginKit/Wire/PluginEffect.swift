public import CastWire

/// Something that happens beside the decision about a message. The grant bounds it: what is not granted is refused and
/// logged, and the decision stands.
public enum PluginEffect: Hashable, Sendable {
    /// A message to the message's sender, on the virtual connection that it came on. Without a namespace: the message's.
    case replyToSender(namespace: Namespace?, payload: CastMessage.Payload)
    /// A message to all senders that are connected to the message's session.
    case broadcast(namespace: Namespace?, payload: CastMessage.Payload)
    /// A message to the device's end, as if the message's sender had sent it.
    case sendToReceiver(namespace: Namespace?, payload: CastMessage.Payload)
    /// An event for the gateway's bus. Of events with one key, those that come again may be left out.
    case emit(event: String, data: JSONValue, key: String?)
    /// Keeps a value.
    case put(key: String, value: JSONValue)
    /// Forgets a value.
    case delete(key: String)
    /// A line for the gateway's log.
    case log(PluginLogLevel, String)
}

extension PluginEffect: WireObject {
    private enum Kind: String, CaseIterable {
        case replyToSender = "reply_to_sender"
        case broadcast
        case sendToReceiver = "send_to_receiver"
        case emit
        case put = "kv.put"
        case delete = "kv.delete"
        case log
    }

    package init(_ reader: ObjectReader) throws(PluginWireError) {
        let kind: Kind = try reader.word("do")
        switch kind {
        case .replyToSender:
            self = .replyToSender(namespace: try Self.namespace(reader), payload: try reader.payload())
        case .broadcast:
            self = .broadcast(namespace: try Self.namespace(reader), payload: try reader.payload())
        case .sendToReceiver:
            self = .sendToReceiver(namespace: try Self.namespace(reader), payload: try reader.payload())
        case .emit:
            self = .emit(
                event: try reader.string("event"), data: reader.object["data"] ?? .null,
                key: try reader.optionalString("key"))
        case .put: self = .put(key: try reader.string("key"), value: reader.object["value"] ?? .null)
        case .delete: self = .delete(key: try reader.string("key"))
        case .log: self = .log(try reader.optionalWord("level") ?? .info, try reader.string("message"))
        }
    }

    private static func namespace(_ reader: ObjectReader) throws(PluginWireError) -> Namespace? {
        try reader.optionalString("namespace").map { Namespace(rawValue: $0) }
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
