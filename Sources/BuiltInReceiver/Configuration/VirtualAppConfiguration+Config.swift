public import GatewayConfig

extension VirtualAppConfiguration {
    /// The keys of one app in `virtual_devices[].apps`.
    public static let schema = ConfigSchema.object([
        ConfigField("name", .text(maximumBytes: 200), .optional, "The name shown to senders", example: "Quiz"),
        ConfigField(
            "namespaces",
            .list(of: .namespace),
            .defaultsTo("[]"),
            "The custom namespaces of the app",
            example: "[\"urn:x-cast:com.example.quiz\"]"
        ),
        ConfigField(
            "player",
            .oneOf(
                .word("simulated", "none"),
                .object([
                    ConfigField(
                        "plugin", .text(maximumBytes: 64), .required,
                        "The name of an instance in `plugins.instances` whose `plugin.yaml` asks to handle "
                            + "`urn:x-cast:com.google.cast.media`; it owns that namespace of the app on this device",
                        example: "jukebox")
                ])),
            .optional,
            "What answers media requests: `simulated`, `none`, or a plugin. Without it the simulated player for CC1AD845 on a "
                + "local device, otherwise none",
            example: "simulated"
        ),
        ConfigField(
            "status_text",
            .text(maximumBytes: 200),
            .optional,
            "The status text while the app runs",
            example: "Waiting for players"
        ),
        ConfigField("type", .word(Kind.self), .defaultsTo("WEB"), "The type reported for the app"),
        ConfigField(
            "icon_url",
            .text(maximumBytes: 2000),
            .optional,
            "The address of the app's icon",
            example: "https://cdn.example.com/quiz.png"
        ),
        ConfigField(
            "launch",
            .word(LaunchOutcome.self),
            .defaultsTo("allow"),
            "How a launch ends on the built-in receiver, for testing senders"
        ),
        ConfigField("options", SimulationOptions.schema, .defaultsTo("{}"), "How the simulated player behaves"),
    ])

    /// The names of those keys.
    public static let keys = ["name", "namespaces", "player", "status_text", "type", "icon_url", "launch", "options"]

    /// Reads one app from a checked section.
    ///
    /// - Parameters:
    ///   - id: The app's id, which is the key.
    ///   - section: Its details.
    ///   - isLocal: Whether the app runs on the built-in receiver; decides the player when none is written.
    public init(id: String, reading section: ConfigSection, isLocal: Bool) {
        self.init(
            id: id,
            name: section.optionalString("name"),
            namespaces: section.strings("namespaces"),
            player: Self.player(reading: section) ?? Self.usualPlayer(of: id, isLocal: isLocal),
            statusText: section.optionalString("status_text"),
            kind: section.word("type", as: Kind.self, otherwise: .web),
            iconURL: section.optionalString("icon_url"),
            launch: section.word("launch", as: LaunchOutcome.self, otherwise: .allow),
            options: SimulationOptions(reading: section.section("options"))
        )
    }

    /// Reads the apps of a device from a list of ids or a mapping of ids to details, in the order of the file.
    public static func apps(reading value: ConfigValue, isLocal: Bool) -> [VirtualAppConfiguration] {
        if let entries = value.map {
            return entries.compactMap { entry in
                entry.value.section.map { VirtualAppConfiguration(id: entry.key, reading: $0, isLocal: isLocal) }
            }
        }
        return (value.list ?? []).compactMap(\.string).map {
            VirtualAppConfiguration(id: $0, player: Self.usualPlayer(of: $0, isLocal: isLocal))
        }
    }

    private static func player(reading section: ConfigSection) -> Player? {
        if let plugin = section.optionalSection("player") { return .plugin(plugin.string("plugin")) }
        return switch section.optionalString("player") {
        case "simulated": .simulated
        case "none": Player.none
        default: nil
        }
    }

    private static func usualPlayer(of id: String, isLocal: Bool) -> Player {
        id == Self.defaultMediaReceiver && isLocal ? .simulated : .none
    }
}
