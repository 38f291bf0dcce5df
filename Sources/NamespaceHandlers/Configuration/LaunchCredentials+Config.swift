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
        ConfigField(
            "apply_to_load",
            .boolean,
            .defaultsTo("false"),
            "Whether a LOAD without credentials gets them too; otherwise they are sent at launch and join only"
        ),
        ConfigField(
            "atv_credentials",
            .secret,
            .optional,
            "What an Android TV app receives in a LOAD instead, with `apply_to_load`",
            example: "/etc/castway/credentials/tv.json"
        ),
        ConfigField(
            "atv_credentials_type",
            .text(maximumBytes: 64),
            .optional,
            "The type of `atv_credentials`",
            example: "android"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            credentials: section.secret("credentials"),
            type: section.string("credentials_type"),
            appliesToLoad: section.boolean("apply_to_load"),
            androidTVCredentials: section.optionalSecret("atv_credentials"),
            androidTVType: section.optionalString("atv_credentials_type")
        )
    }

    /// Adds what is wrong between the values.
    static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard section.has("atv_credentials_type"), !section.has("atv_credentials") else { return }
        problems.add(
            .inconsistent,
            at: section.location("atv_credentials_type"),
            "'\(section.path("atv_credentials_type"))' needs 'atv_credentials' beside it"
        )
    }
}
