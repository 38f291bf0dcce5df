public import CastWire

/// A session of Castway's own with an app on a device, as it stood at one moment.
public struct CastSessionFacts: Hashable, Sendable {
    /// The session's number in this run of the gateway.
    public var number: Int
    /// The device's name in the gateway.
    public var device: String
    /// Whose device it was when the session began.
    public var category = DeviceCategory.cast
    /// The app that was asked for; of a session that was joined by its id, the app that runs.
    public var appID: AppID
    /// How far the session is.
    public var state: SessionConnectionState
    /// Why it is suspended; ``SessionSuspendReason/none`` when it is not.
    public var suspendReason: SessionSuspendReason
    /// What the device says of the app: names, ids, namespaces; nil before it runs.
    public var app: ReceiverApplication?
    /// What played last, once the session has ended; nil when nothing did.
    public var last: LastPlayback?
    /// The device from which playback was moved here; nil for a session that did not begin so.
    public var previousDevice: String?

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

/// How far a session is, as the Cast SDKs put it.
public enum SessionConnectionState: String, Sendable, Hashable, CaseIterable {
    /// There is no connection: it has ended, or is suspended.
    case disconnected
    /// It is being started or resumed, or looks for its device.
    case connecting
    /// The app can be spoken to.
    case connected
    /// It is being ended.
    case disconnecting
}

/// Why a session was suspended, by the numbers that the Cast SDKs use.
public enum SessionSuspendReason: Int, Sendable, Hashable, CaseIterable {
    /// The cause is not known.
    case unknown = -1
    /// It is not suspended.
    case none = 0
    /// No sender uses it for the time being.
    case appBackgrounded = 1
    /// The connection to the device broke, or the device fell silent.
    case networkError = 2
    /// It is not known where the device is.
    case networkNotReachable = 3
    /// The gateway stopped.
    case appTerminated = 4

    /// The reason in a word that never changes.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .none: "none"
        case .appBackgrounded: "app_backgrounded"
        case .networkError: "network_error"
        case .networkNotReachable: "network_not_reachable"
        case .appTerminated: "app_terminated"
        }
    }
}

/// What brought a session back.
public enum SessionResumeCause: String, Sendable, Hashable, CaseIterable {
    /// The gateway was started, and the session still ran.
    case restart
    /// The device was out of reach, and is back.
    case network
    /// Playback was moved here from another device.
    case transfer
    /// It was suspended on request, and is resumed on request.
    case foreground
}

/// What ending a session does to the device.
public enum SessionEndAction: String, Sendable, Hashable, CaseIterable {
    /// Leaves the app: its virtual connection is closed, and the app goes on for others.
    case leave
    /// Leaves the app. The channel of a configured device stays.
    case disconnect
    /// Stops the app.
    case stop
}
