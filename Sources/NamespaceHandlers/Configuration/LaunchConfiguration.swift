/// `launch`: what Castway adds when it launches or joins an app on a real device.
public struct LaunchConfiguration: Sendable, Equatable {
    /// Whether launches may start the Android TV app of an app that has one. Default false.
    public var androidReceiverCompatible: Bool
    /// The credentials for apps that have none of their own.
    public var defaultCredentials: LaunchCredentials?
    /// The credentials by app id.
    public var appCredentials: [String: LaunchCredentials]

    /// Makes a configuration from its parts; each has the default of `gateway.yaml`.
    public init(
        androidReceiverCompatible: Bool = false,
        defaultCredentials: LaunchCredentials? = nil,
        appCredentials: [String: LaunchCredentials] = [:]
    ) {
        self.androidReceiverCompatible = androidReceiverCompatible
        self.defaultCredentials = defaultCredentials
        self.appCredentials = appCredentials
    }

    /// The credentials to send with a launch of `app`: its own, or the default ones, or none.
    public func credentials(for app: String) -> LaunchCredentials? {
        self.appCredentials[app] ?? self.defaultCredentials
    }
}
