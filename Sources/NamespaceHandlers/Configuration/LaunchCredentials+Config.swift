public import GatewayConfig

extension LaunchCredentials {
    /// The keys of one entry of `launch.credentials`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "credentials",
            .secret,
            .required,
            "What the app receives as credentials",
            example: "/etc/castway/credentials/launch.json"
        ),
        ConfigField(
            "credentials_type",
            .text(maximumBytes: 64),
            .defaultsTo("web"),
            "What the app receives as the type of the credentials"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(credentials: section.secret("credentials"), type: section.string("credentials_type"))
    }
}
