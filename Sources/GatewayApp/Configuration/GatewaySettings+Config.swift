public import GatewayConfig

extension GatewaySettings {
    /// The keys of `gateway`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "id",
            .text(allowed: "a-z0-9-", length: 1...32),
            .defaultsTo("gw1"),
            "Tells gateways apart in logs; never changes by itself",
            reload: .restart
        ),
        ConfigField(
            "name",
            .text(maximumBytes: 200),
            .defaultsTo("Castway"),
            "The name that people read, in logs and when it starts",
            reload: .hot
        ),
        ConfigField(
            "state_directory",
            .path,
            .defaultsTo("./state"),
            "The folder for state, relative to the folder of this file",
            example: "/var/lib/castway",
            reload: .restart
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            id: section.string("id"),
            name: section.string("name"),
            stateDirectory: section.string("state_directory")
        )
    }
}
