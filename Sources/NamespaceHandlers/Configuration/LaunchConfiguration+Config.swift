public import GatewayConfig

extension LaunchConfiguration {
    /// The key of `launch.credentials` that stands for every app without credentials of its own.
    static let defaultKey = "default"

    /// The keys of `launch`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "android_receiver_compatible",
            .boolean,
            .defaultsTo("false"),
            "Whether launches that do not say which kinds of app they take may start the Android TV app of an app that has one"
        ),
        ConfigField(
            "language",
            .text(allowed: "A-Za-z0-9-", length: 1...35),
            .optional,
            "The language tag of launches that name none (RFC 5646)",
            example: "de-DE"
        ),
        ConfigField(
            "relaunch_if_running",
            .boolean,
            .defaultsTo("false"),
            "Whether the gateway's own sessions launch an app anew that runs already, rather than join it"
        ),
        ConfigField(
            "sender_name",
            .text(maximumBytes: 128),
            .optional,
            "What devices may call the gateway in its own sessions",
            example: "Lobby"
        ),
        ConfigField(
            "credentials",
            .map(key: .appID, value: LaunchCredentials.schema),
            .defaultsTo("{}"),
            "The credentials sent at launch and join, by app id; `default` stands for every other app",
            example: "{default: {credentials_file: /etc/castway/credentials/launch.json}}"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            androidReceiverCompatible: section.boolean("android_receiver_compatible"),
            language: section.optionalString("language"),
            relaunchesIfRunning: section.boolean("relaunch_if_running"),
            senderName: section.optionalString("sender_name")
        )
        for entry in section.map("credentials") {
            guard let details = entry.value.section else { continue }
            let credentials = LaunchCredentials(reading: details)
            if entry.key == Self.defaultKey {
                self.defaultCredentials = credentials
            } else {
                self.appCredentials[entry.key] = credentials
            }
        }
    }

    /// Adds what is wrong between the values.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        for entry in section.map("credentials") {
            guard let details = entry.value.section else { continue }
            LaunchCredentials.check(details, problems: &problems)
        }
    }
}
