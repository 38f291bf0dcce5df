public import CastWire

/// A session of Castway's own with an app on a device, as it stood at one moment.
public struct CastSessionFacts: Hashable, Sendable {
    /// The session's number in this run of the gateway.
    public var number: Int
    /// The device's name in the gateway.
    public var device: String
    /// The app that was asked for; of a session that was joined by its id, the app that runs.
    public var appID: AppID
    /// How far the session is.
    public var state: SessionConnectionState
    /// Why it is suspended; ``SessionSuspendReason/none`` when it is not.
    public var suspendReason: SessionSuspendReason
    /// What the device says of the app: names, ids, namespaces; nil before it runs.
    public var app: ReceiverApplication?

    /// Collects the facts.
    public init(
        number: Int, device: String, appID: AppID, state: SessionConnectionState,
        suspendReason: SessionSuspendReason = .none, app: ReceiverApplication? = nil
    ) {
        self.number = number
        self.device = device
        self.appID = appID
        self.state = state
        self.suspendReason = suspendReason
        self.app = app
    }

    /// The id that the device gave the session; nil before the app runs.
    public var sessionID: String? { self.app?.sessionID }
    /// Where the app is reached; nil before it runs.
    public var transportID: EndpointID? { self.app?.transportID }
}
