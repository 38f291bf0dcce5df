/// `log`: what is logged and how.
public struct LogConfiguration: Sendable, Equatable {
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

    /// The level where no rule matches. Default ``Level/info``.
    public var level: Level
    /// The shape of a line. Default ``Format/auto``.
    public var format: Format
    /// Levels per component, in the order of the file; the first match decides.
    public var levels: [LogLevelRule]
    /// Whether message bodies are printed; they may hold personal data. Default false.
    public var payloads: Bool
    /// The members of message bodies that are never printed. Default `credentials` and `customData.token`.
    public var redact: [String]

    /// Makes a configuration from its parts; each has the default of `gateway.yaml`.
    public init(
        level: Level = .info,
        format: Format = .auto,
        levels: [LogLevelRule] = [],
        payloads: Bool = false,
        redact: [String] = ["credentials", "customData.token"]
    ) {
        self.level = level
        self.format = format
        self.levels = levels
        self.payloads = payloads
        self.redact = redact
    }
}
