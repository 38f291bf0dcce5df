public import CastWire

/// A message to all senders that are connected to a session.
public struct GatewayBroadcastRequest: Hashable, Sendable {
    /// The virtual device, by its name.
    public var device: String
    /// The session; nil for the app that runs.
    public var session: String?
    /// What the payload means.
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
