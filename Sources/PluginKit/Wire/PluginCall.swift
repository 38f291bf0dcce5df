public import CastWire

/// What a plugin asks of the gateway.
public enum PluginCall: Hashable, Sendable {
    /// A message to an app.
    case send(GatewaySendRequest)
    /// A message to the senders of a session.
    case broadcast(GatewayBroadcastRequest)
    /// An event for the bus.
    case emit(GatewayEmitRequest)
    /// A question.
    case query(GatewayQuery)
    /// The value under a key; the result has no `value` when there is none.
    case get(key: String)
    /// Keeps a value.
    case put(key: String, value: JSONValue)
    /// Forgets a value.
    case delete(key: String)
    /// The keys that begin so, in order.
    case list(prefix: String)

    /// The method that the call is.
    public var method: PluginMethod {
        switch self {
        case .send: .gatewaySend
        case .broadcast: .gatewayBroadcast
        case .emit: .gatewayEmit
        case .query: .gatewayQuery
        case .get: .storeGet
        case .put: .storePut
        case .delete: .storeDelete
        case .list: .storeList
        }
    }

    var parameters: JSONObject {
        switch self {
        case .send(let request): request.json
        case .broadcast(let request): request.json
        case .emit(let request): request.json
        case .query(let query): query.json
        case .get(let key), .delete(let key): ["key": .string(key)]
        case .put(let key, let value): ["key": .string(key), "value": value]
        case .list(let prefix): ["prefix": .string(prefix)]
        }
    }

    /// Reads the call of a method; nil when the method is none that a plugin may call.
    package init?(_ method: PluginMethod, _ reader: ObjectReader) throws(PluginWireError) {
        switch method {
        case .gatewaySend: self = .send(try GatewaySendRequest(reader))
        case .gatewayBroadcast: self = .broadcast(try GatewayBroadcastRequest(reader))
        case .gatewayEmit: self = .emit(try GatewayEmitRequest(reader))
        case .gatewayQuery: self = .query(try GatewayQuery(reader))
        case .storeGet: self = .get(key: try reader.string("key"))
        case .storePut:
            guard let value = reader.object["value"] else { throw reader.fault("value", "is missing") }
            self = .put(key: try reader.string("key"), value: value)
        case .storeDelete: self = .delete(key: try reader.string("key"))
        case .storeList: self = .list(prefix: try reader.optionalString("prefix") ?? "")
        default: return nil
        }
    }
}
