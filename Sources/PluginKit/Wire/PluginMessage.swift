public import CastWire

/// A Cast message as a plugin sees it, with where it came from.
public struct PluginMessage: Hashable, Sendable {
    /// The gateway's id of the message, unique while the gateway runs.
    public var id: String
    /// The virtual device that it passes, by its name in `gateway.yaml`.
    public var device: String
    /// Which way it travels.
    public var direction: PluginDirection
    /// The number of the sender's channel; nil for what the device says by itself.
    public var connection: Int?
    /// The sender's address without the port; nil for what the device says.
    public var sender: String?
    /// The id of the session with the app, if the message goes to or comes from one.
    public var session: String?
    /// That app's id.
    public var app: String?
    /// The sending end.
    public var source: EndpointID
    /// The receiving end, or `*`.
    public var destination: EndpointID
    /// What the payload means.
    public var namespace: Namespace
    /// The exact content.
    public var payload: CastMessage.Payload
    /// The payload's `type`, if it is JSON and has one.
    public var type: String?
    /// The payload's `requestId`, if it is JSON and has one.
    public var requestID: RequestID?

    /// Describes a message; `type` and `requestID` are found in the payload.
    public init(
        id: String, device: String, direction: PluginDirection = .toReceiver, connection: Int? = nil,
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
        id: String, device: String, direction: PluginDirection, connection: Int?, sender: String?, session: String?,
        app: String?, source: EndpointID, destination: EndpointID, namespace: Namespace,
        payload: CastMessage.Payload, summary: PayloadSummary
    ) {
        self.id = id
        self.device = device
        self.direction = direction
        self.connection = connection
        self.sender = sender
        self.session = session
        self.app = app
        self.source = source
        self.destination = destination
        self.namespace = namespace
        self.payload = payload
        self.type = summary.type
        self.requestID = summary.requestID
    }

    /// The payload as a JSON object; nil when it is something else.
    public var json: JSONObject? { self.payload.jsonObject }
}
