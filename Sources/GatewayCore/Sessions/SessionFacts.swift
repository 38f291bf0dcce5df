public import CastWire

/// What is known of the app that runs behind a transport id.
public struct SessionFacts: Hashable, Sendable {
    /// The app.
    public let appID: AppID
    /// The session's id; stays while the app runs.
    public let sessionID: String
    /// Where senders reach the app.
    public let transportID: EndpointID
    /// The app's name for people.
    public let displayName: String
    /// The namespaces that the app announces.
    public let namespaces: [Namespace]

    /// Collects the facts.
    public init(
        appID: AppID, sessionID: String, transportID: EndpointID, displayName: String, namespaces: [Namespace]
    ) {
        self.appID = appID
        self.sessionID = sessionID
        self.transportID = transportID
        self.displayName = displayName
        self.namespaces = namespaces
    }
}
