public import GatewayConfig

/// `log`: what is logged and how.
public struct LogConfiguration: ConfigSettings {
    /// How much is logged; the cases are ordered from most to least.
    public enum Level: String, Sendable, CaseIterable {
        /// Every step.
        case trace
        /// What a developer needs.
        case debug
        /// What an operator wants to see.
        case info
        /// What an operator should see.
        case notice
        /// Something is odd.
        case warning
        /// Something failed.
        case error
    }

    /// The shape of a log line.
    public enum Format: String, Sendable, CaseIterable {
        /// Text on a terminal, JSON otherwise.
        case auto
        /// Text for people.
        case text
        /// One JSON object per line.
        case json
    }

    /// The level where no rule matches.
    public var level = Level.info
    /// The shape of a line.
    public var format = Format.auto
    /// Levels per component, in the order of the file; the first match decides.
    public var levels: [LogLevelRule] = []
    /// Whether message bodies are printed; they may hold personal data.
    public var payloads = false
    /// The members of message bodies that are never printed.
    public var redact = ["credentials", "customData.token"]

    /// The keys of `log`.
    public static let keys: [Key] = [
        Key("level", \.level, .word, "How much is logged"),
        Key("format", \.format, .word, "The shape of a line; `auto` is text on a terminal and JSON otherwise"),
        Key(
            "levels", \.levels, LogLevelRule.list,
            "Levels for components whose name matches; the first match decides",
            example: "{\"DeviceSession*\": debug}"),
        Key("payloads", \.payloads, .boolean, "Whether message bodies are printed; they may hold personal data"),
        Key(
            "redact", \.redact, .list(of: .text(maximumBytes: 200)),
            "The members of message bodies, and the fields of log lines, that are never printed"),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    public init() {}
}

/// One entry of `log.levels`: the level of the components whose name matches.
public struct LogLevelRule: Sendable, Equatable {
    /// Which components.
    public var components: Glob
    /// Their level.
    public var level: LogConfiguration.Level

    /// Makes a rule from its parts.
    public init(components: Glob, level: LogConfiguration.Level) {
        self.components = components
        self.level = level
    }

    /// A mapping of patterns to levels.
    static let list = ConfigType<[ConfigMapEntry<LogConfiguration.Level>]>.entries(key: .glob, value: .word)
        .converted(
            { $0.map { LogLevelRule(components: Glob($0.key), level: $0.value) } },
            { $0.map { ConfigMapEntry(key: $0.components.pattern, value: $0.level) } })
}
