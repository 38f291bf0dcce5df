public import CastWire

/// What a plugin asks of the gateway.
public enum PluginCall: Hashable, Sendable {
    /// A message to an app, and how long to wait for the message with the same `requestId`; nil to wait for nothing.
    case send(OutgoingMessage, wait: Duration? = nil)
    /// A message to the senders of a session.
    case broadcast(OutgoingMessage)
    /// An operation of the gateway's.
    case operation(GatewayCall)
    /// Devices that it has found, or that have changed.
    case publish([ProvidedDevice])
    /// The names of devices that are not there any more.
    case withdraw([String])
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
        case .operation: .gatewayCall
        case .publish: .providerPublish
        case .withdraw: .providerWithdraw
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
        case .send(let message, let wait):
            var json = message.json
            json["wait"] = wait?.wireValue
            return json
        case .broadcast(let message): return message.json
        case .operation(let call): return call.json
        case .publish(let devices): return ["devices": devices.wireValue]
        case .withdraw(let names): return ["names": names.wireValue]
        case .emit(let request): return request.json
        case .query(let query): return query.json
        case .get(let key), .delete(let key): return ["key": .string(key)]
        case .put(let key, let value): return ["key": .string(key), "value": value]
        case .list(let prefix): return ["prefix": .string(prefix)]
        }
    }

    /// Reads the call of a method; nil when the method is none that a plugin may call.
    package init?(_ method: PluginMethod, _ reader: ObjectReader) throws(PluginWireError) {
        switch method {
        case .gatewaySend: self = .send(try OutgoingMessage(reader), wait: try reader.optional("wait"))
        case .gatewayBroadcast: self = .broadcast(try OutgoingMessage(reader))
        case .gatewayCall: self = .operation(try GatewayCall(reader))
        case .providerPublish: self = .publish(try reader.required("devices"))
        case .providerWithdraw: self = .withdraw(try reader.required("names"))
        case .gatewayEmit: self = .emit(try GatewayEmitRequest(reader))
        case .gatewayQuery: self = .query(try GatewayQuery(reader))
        case .storeGet: self = .get(key: try reader.required("key"))
        case .storePut:
            guard let value = reader.object["value"] else { throw reader.fault("value", "is missing") }
            self = .put(key: try reader.required("key"), value: value)
        case .storeDelete: self = .delete(key: try reader.required("key"))
        case .storeList: self = .list(prefix: try reader.optional("prefix") ?? "")
        default: return nil
        }
    }
}

/// A message that a plugin sends by itself: to the app of a device, as a sender of its own, or to all senders that are connected
/// to the app's session.
public struct OutgoingMessage: Hashable, Sendable {
    /// The virtual device, by its name; on the leg ``MessageLeg/own`` the real one.
    public var device: String
    /// Nil for a virtual device; ``MessageLeg/own`` for the gateway's own session with a real one.
    public var leg: MessageLeg?
    /// The session; nil for the app that runs, or, to an app, for the platform in the platform's namespaces.
    public var session: String?
    /// The namespace.
    public var namespace: Namespace
    /// The content.
    public var payload: CastMessage.Payload

    /// Puts the message together.
    public init(
        device: String, leg: MessageLeg? = nil, session: String? = nil, namespace: Namespace,
        payload: CastMessage.Payload
    ) {
        self.device = device
        self.leg = leg
        self.session = session
        self.namespace = namespace
        self.payload = payload
    }
}

extension OutgoingMessage: WireRecord {
    package static let blank = Self(device: "", namespace: "", payload: .text(""))

    package static let members: [Member] = [
        .required("device", \.device), .optional("leg", \.leg), .optional("session", \.session),
        .required("namespace", \.namespace), .payload(\.payload),
    ]
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

extension GatewaySendResult: WireRecord {
    package static let blank = Self()

    package static let members: [Member] = [.optionalPayload(\.payload)]
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

extension GatewayEmitRequest: WireRecord {
    package static let blank = Self(event: "")

    package static let members: [Member] = [
        .required("event", \.event), Member("data", \.data), .optional("key", \.key),
    ]
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

extension GatewayQuery: WireRecord {
    package static let blank = Self(.devices)

    package static let members: [Member] = [.required("what", \.subject), .optional("device", \.device)]
}

extension GatewayQuery.Subject: ClosedWord {}

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

extension GatewayQueryResult: WireRecord {
    package static let blank = Self()

    package static let members: [Member] = [
        .optional("devices", \.devices), .optional("sessions", \.sessions), .optional("media", \.media),
    ]
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

extension GatewayMedia: WireRecord {
    package static let blank = Self(device: "", session: "", status: [:])

    package static let members: [Member] = [
        .required("device", \.device), .required("session", \.session), Member("status", \.status),
    ]
}
