public import GatewayConfig

/// `launch.credentials.ID`: the credentials sent at launch and join, and nowhere else.
public struct LaunchCredentials: Sendable, Equatable {
    /// The text that the app receives as `credentials`.
    public var credentials: Secret
    /// The text that the app receives as `credentialsType`. Default `web`.
    public var type: String

    /// Makes credentials from their parts.
    public init(credentials: Secret, type: String = "web") {
        self.credentials = credentials
        self.type = type
    }
}
