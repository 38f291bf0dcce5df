public import CastWire

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
        id: String, device: String, direction: MessageDirection = .toReceiver, connection: Int? = nil,
        sender: String? = nil, session: String? = nil, app: String? = nil, source: EndpointID,
        destination: EndpointID, namespace: Namespace, payload: CastMessage.Payload
    ) {
        self.init(
            id: id, device: device, direction: direction, connection: connection, sender: sender, session: session,
            app: app, source: source, destination: destination, namespace: namespace, payload: payload,
            summary: PayloadSummary(peeking: payload))
    }

    /// Describes a message whose payload was looked into already.
    public init(
        id: String, device: String, direction: MessageDirection, connection: Int?, sender: String?, session: String?,
        app: String?, source: EndpointID, destination: EndpointID, namespace: Namespace,
        payload: CastMessage.Payload, summary: PayloadSummary
    ) {
        let route = PluginRoute(
            device: device, direction: direction, connection: connection, sender: sender, session: session, app: app,
            source: source, destination: destination, namespace: namespace)
        self.init(id: id, route: route, payload: payload, summary: summary)
    }

    /// The virtual device that it passes, by its name in `gateway.yaml`.
    public var device: String { self.route.device }
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
    /// What the payload means.
    public var namespace: Namespace { self.route.namespace }

    /// The payload as a JSON object; nil when it is something else.
    public var json: JSONObject? { self.payload.jsonObject }
}
