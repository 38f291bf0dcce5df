/// `launch`: how apps on real devices are launched and joined.
public struct LaunchConfiguration: Sendable, Equatable {
    /// Whether launches that do not say which kinds of app they take may start the Android TV app. Default false.
    public var androidReceiverCompatible: Bool
    /// The language tag of launches that name none; nil leaves it out.
    public var language: String?
    /// Whether a session of Castway's own launches its app anew when it runs already. Default false: it is joined.
    public var relaunchesIfRunning: Bool
    /// What devices may call Castway in its own sessions; nil leaves it out.
    public var senderName: String?
    /// The credentials for apps that have none of their own.
    public var defaultCredentials: LaunchCredentials?
    /// The credentials by app id.
    public var appCredentials: [String: LaunchCredentials]

    /// Makes a configuration from its parts; each has the default of `gateway.yaml`.
    public init(
        androidReceiverCompatible: Bool = false,
        language: String? = nil,
        relaunchesIfRunning: Bool = false,
        senderName: String? = nil,
        defaultCredentials: LaunchCredentials? = nil,
        appCredentials: [String: LaunchCredentials] = [:]
    ) {
        self.androidReceiverCompatible = androidReceiverCompatible
        self.language = language
        self.relaunchesIfRunning = relaunchesIfRunning
        self.senderName = senderName
        self.defaultCredentials = defaultCredentials
        self.appCredentials = appCredentials
    }

    /// The credentials to send with a launch of `app`: its own, or the default ones, or none.
    public func credentials(for app: String) -> LaunchCredentials? {
        self.appCredentials[app] ?? self.defaultCredentials
    }
}
