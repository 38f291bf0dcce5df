public import GatewayConfig

extension LogConfiguration {
    /// The keys of `log`.
    public static let schema = ConfigSchema.object([
        ConfigField("level", .word(Level.self), .defaultsTo("info"), "How much is logged"),
        ConfigField(
            "format",
            .word(Format.self),
            .defaultsTo("auto"),
            "The shape of a line; `auto` is text on a terminal and JSON otherwise"
        ),
        ConfigField(
            "levels",
            .map(key: .glob, value: .word(Level.self)),
            .defaultsTo("{}"),
            "Levels for components whose name matches; the first match decides",
            example: "{\"DeviceSession*\": debug}"
        ),
        ConfigField(
            "payloads",
            .boolean,
            .defaultsTo("false"),
            "Whether message bodies are printed; they may hold personal data"
        ),
        ConfigField(
            "redact",
            .list(of: .text(maximumBytes: 200)),
            .defaultsTo("[credentials, customData.token]"),
            "The members of message bodies, and the fields of log lines, that are never printed"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            level: section.word("level", as: Level.self, otherwise: .info),
            format: section.word("format", as: Format.self, otherwise: .auto),
            levels: section.map("levels").compactMap { entry in
                entry.value.string.flatMap(Level.init(rawValue:)).map {
                    LogLevelRule(components: Glob(entry.key), level: $0)
                }
            },
            payloads: section.boolean("payloads"),
            redact: section.strings("redact")
        )
    }
}
