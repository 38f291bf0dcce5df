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
            "Whether launches may start the Android TV app of an app that has one"
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
        self.init(androidReceiverCompatible: section.boolean("android_receiver_compatible"))
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
}
