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

/// A message to the app of a device, from the plugin as a sender of its own.
public struct GatewaySendRequest: Hashable, Sendable {
    /// The virtual device, by its name.
    public var device: String
    /// The session; nil for the app that runs, or for the platform in the platform's namespaces.
    public var session: String?
    /// The namespace.
    public var namespace: Namespace
    /// The content.
    public var payload: CastMessage.Payload
    /// How long to wait for the message with the same `requestId`; nil to wait for nothing.
    public var wait: Duration?

    /// Puts the request together.
    public init(
        device: String, session: String? = nil, namespace: Namespace, payload: CastMessage.Payload,
        wait: Duration? = nil
    ) {
        self.device = device
        self.session = session
        self.namespace = namespace
        self.payload = payload
        self.wait = wait
    }
}

extension GatewaySendRequest: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            device: try reader.string("device"), session: try reader.optionalString("session"),
            namespace: Namespace(rawValue: try reader.string("namespace")), payload: try reader.payload(),
            wait: try reader.optionalMilliseconds("wait"))
    }

    package var json: JSONObject {
        var json: JSONObject = ["device": .string(self.device)]
        json["session"] = self.session.map { .string($0) }
        json["namespace"] = .string(self.namespace.rawValue)
        let member = self.payload.member
        json[member.name] = member.value
        json["wait"] = self.wait.map { .number($0.wireMilliseconds) }
        return json
    }
}

/// What came back for a message that a plugin sent.
public struct GatewaySendResult: Hashable, Sendable {
    /// The answer; nil when none was waited for.
    public var payload: CastMessage.Payload?

    /// Makes a result.
    public init(payload: CastMessage.Payload? = nil) {
        self.payload = payload
    }
}

extension GatewaySendResult: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(payload: try reader.optionalPayload())
    }

    package var json: JSONObject {
        guard let member = self.payload?.member else { return [:] }
        return JSONObject([(member.name, member.value)])
    }
}

/// A message to all senders that are connected to a session.
public struct GatewayBroadcastRequest: Hashable, Sendable {
    /// The virtual device, by its name.
    public var device: String
    /// The session; nil for the app that runs.
    public var session: String?
    /// The namespace.
    public var namespace: Namespace
    /// The content.
    public var payload: CastMessage.Payload

    /// Puts the request together.
    public init(device: String, session: String? = nil, namespace: Namespace, payload: CastMessage.Payload) {
        self.device = device
        self.session = session
        self.namespace = namespace
        self.payload = payload
    }
}

extension GatewayBroadcastRequest: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            device: try reader.string("device"), session: try reader.optionalString("session"),
            namespace: Namespace(rawValue: try reader.string("namespace")), payload: try reader.payload())
    }

    package var json: JSONObject {
        var json: JSONObject = ["device": .string(self.device)]
        json["session"] = self.session.map { .string($0) }
        json["namespace"] = .string(self.namespace.rawValue)
        let member = self.payload.member
        json[member.name] = member.value
        return json
    }
}

/// An event for the gateway's bus.
public struct GatewayEmitRequest: Hashable, Sendable {
    /// The event's name, such as `quiz.finished`.
    public var event: String
    /// Its values.
    public var data: JSONValue
    /// Of events with one key, those that come again may be left out.
    public var key: String?

    /// Puts the request together.
    public init(event: String, data: JSONValue = .null, key: String? = nil) {
        self.event = event
        self.data = data
        self.key = key
    }
}

extension GatewayEmitRequest: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            event: try reader.string("event"), data: reader.object["data"] ?? .null,
            key: try reader.optionalString("key"))
    }

    package var json: JSONObject {
        var json: JSONObject = ["event": .string(self.event), "data": self.data]
        json["key"] = self.key.map { .string($0) }
        return json
    }
}

/// A question about what the gateway knows, within the grant.
public struct GatewayQuery: Hashable, Sendable {
    /// What may be asked.
    public enum Subject: String, Hashable, Sendable, CaseIterable {
        /// The virtual devices: `{"devices":[…]}` as in ``PluginSnapshot/Device``.
        case devices
        /// The apps that run: `{"sessions":[…]}` as in ``PluginSnapshot/Session``.
        case sessions
        /// What plays: `{"media":[{"device","session","status":{…}}]}`, the status as in MEDIA_STATUS.
        case media
    }

    /// What is asked.
    public var subject: Subject
    /// Of which virtual device; nil for all.
    public var device: String?

    /// Puts the question.
    public init(_ subject: Subject, device: String? = nil) {
        self.subject = subject
        self.device = device
    }
}

extension GatewayQuery: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(try reader.word("what"), device: try reader.optionalString("device"))
    }

    package var json: JSONObject {
        var json: JSONObject = ["what": .string(self.subject.rawValue)]
        json["device"] = self.device.map { .string($0) }
        return json
    }
}

/// The answer to a ``GatewayQuery``: what was asked for is not nil.
public struct GatewayQueryResult: Hashable, Sendable {
    /// The virtual devices.
    public var devices: [PluginSnapshot.Device]?
    /// The apps that run.
    public var sessions: [PluginSnapshot.Session]?
    /// What plays.
    public var media: [GatewayMedia]?

    /// Puts an answer together.
    public init(
        devices: [PluginSnapshot.Device]? = nil, sessions: [PluginSnapshot.Session]? = nil,
        media: [GatewayMedia]? = nil
    ) {
        self.devices = devices
        self.sessions = sessions
        self.media = media
    }
}

extension GatewayQueryResult: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init()
        if reader.object["devices"] != nil { self.devices = try reader.list("devices") }
        if reader.object["sessions"] != nil { self.sessions = try reader.list("sessions") }
        if reader.object["media"] != nil { self.media = try reader.list("media") }
    }

    package var json: JSONObject {
        var json: JSONObject = [:]
        json["devices"] = self.devices.map { .array($0.map { .object($0.json) }) }
        json["sessions"] = self.sessions.map { .array($0.map { .object($0.json) }) }
        json["media"] = self.media.map { .array($0.map { .object($0.json) }) }
        return json
    }
}

/// What plays in a session.
public struct GatewayMedia: Hashable, Sendable {
    /// The virtual device, by its name.
    public var device: String
    /// The session's id.
    public var session: String
    /// The last status that the app told: one element of MEDIA_STATUS's `status`.
    public var status: JSONObject

    /// Describes what plays.
    public init(device: String, session: String, status: JSONObject) {
        self.device = device
        self.session = session
        self.status = status
    }
}

extension GatewayMedia: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            device: try reader.string("device"), session: try reader.string("session"),
            status: try reader.optionalObject("status") ?? [:])
    }

    package var json: JSONObject {
        ["device": .string(self.device), "session": .string(self.session), "status": .object(self.status)]
    }
}
