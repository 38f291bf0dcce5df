public import CastWire

/// A message to the app of a device, from the plugin as a sender of its own.
public struct GatewaySendRequest: Hashable, Sendable {
    /// The virtual device, by its name.
    public var device: String
    /// The session; nil for the app that runs, or for the platform in the platform's namespaces.
    public var session: String?
    /// What the payload means.
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
