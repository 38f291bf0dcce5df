public import GatewayConfig

/// `launch.credentials.ID`: who the user is, for the app; sent at launch and join, and with a LOAD where that is wanted.
///
/// An opaque text: never looked into, never logged.
public struct LaunchCredentials: Sendable, Equatable {
    /// The text that the app receives as `credentials`; an empty one is sent as it is.
    public var credentials: Secret
    /// The text that the app receives as `credentialsType`. Default `web`; nil leaves it out.
    public var type: String?
    /// Whether a LOAD without credentials gets these as well. Default false.
    public var appliesToLoad: Bool
    /// What an Android TV app receives in a LOAD in their place, as `atvCredentials`.
    public var androidTVCredentials: Secret?
    /// What it receives as `atvCredentialsType`.
    public var androidTVType: String?

    /// Makes credentials from their parts.
    public init(
        credentials: Secret, type: String? = "web", appliesToLoad: Bool = false, androidTVCredentials: Secret? = nil,
        androidTVType: String? = nil
    ) {
        self.credentials = credentials
        self.type = type
        self.appliesToLoad = appliesToLoad
        self.androidTVCredentials = androidTVCredentials
        self.androidTVType = androidTVType
    }
}
