public import CastWire

/// What the gateway knows of the app that runs behind a transport id.
public struct SessionFacts: Hashable, Sendable {
    /// The app; on Android TV the id of the Android app.
    public let appID: AppID
    /// The web app that an Android app stands for.
    public let universalAppID: AppID?
    /// `WEB` or `ANDROID_TV`; nil when the device does not say.
    public let appType: String?
    /// The session's id; stays while the app runs.
    public let sessionID: String
    /// Where senders reach the app.
    public let transportID: EndpointID
    /// The app's name for people.
    public let displayName: String
    /// The namespaces that the app announces.
    public let namespaces: [Namespace]
    /// The number of the app's version, as `gateway.yaml` gives it; nil where it gives none, and on real devices.
    public let versionCode: Int?

    /// Collects the facts.
    public init(
        appID: AppID, universalAppID: AppID? = nil, appType: String? = nil, sessionID: String,
        transportID: EndpointID, displayName: String, namespaces: [Namespace], versionCode: Int? = nil
    ) {
        self.appID = appID
        self.universalAppID = universalAppID
        self.appType = appType
        self.sessionID = sessionID
        self.transportID = transportID
        self.displayName = displayName
        self.namespaces = namespaces
        self.versionCode = versionCode
    }

    static let blank = SessionFacts(appID: "", sessionID: "", transportID: "", displayName: "", namespaces: [])

    /// Whether the app goes by one of these ids.
    public func isOne(of apps: Set<AppID>) -> Bool {
        apps.contains(self.appID) || self.universalAppID.map(apps.contains) ?? false
    }
}

/// What runs behind a virtual device, as far as the gateway knows.
public struct RunningApps: Hashable, Sendable {
    /// The apps, an idle screen among them.
    public var sessions: [SessionFacts]
    /// False when more may run: the device has not said yet, has said it in part, or is about to launch something.
    public var isComplete: Bool

    /// Collects what is known.
    public init(_ sessions: [SessionFacts], isComplete: Bool) {
        self.sessions = sessions
        self.isComplete = isComplete
    }

    /// Nothing is known.
    public static let unknown = RunningApps([], isComplete: false)

    /// The app of a session; some senders give the transport id in the place of the session's.
    public func session(_ id: String) -> SessionFacts? {
        self.sessions.first { $0.sessionID == id } ?? self.sessions.first { $0.transportID.rawValue == id }
    }
}
