package import GatewayConfig

/// `log`: what is logged and how.
package struct LogConfiguration: ConfigSettings {
    /// How much is logged; the cases are ordered from most to least.
    package enum Level: String, Sendable, CaseIterable {
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
        /// Nothing.
        case off
    }

    /// The shape of a log line.
    package enum Format: String, Sendable, CaseIterable {
        /// Text on a terminal, JSON otherwise.
        case auto
        /// Text for people.
        case text
        /// One JSON object per line.
        case json
    }

    /// What a line says of the place in the sources that it was made at.
    package enum Origin: String, Sendable, CaseIterable {
        /// Nothing.
        case none
        /// `function - message`
        case function
        /// `location: function - message`
        case location
        /// `function - message, location`
        case trailing
    }

    /// The level where no rule matches.
    package var level = Level.info
    /// The shape of a line.
    package var format = Format.auto
    /// What lines say of where they were made.
    package var origin = Origin.none
    /// Levels per component, in the order of the file; the first match decides.
    package var levels: [LogLevelRule] = []
    /// Levels per function, in the order of the file; the first match decides.
    package var functions: [LogFunctionRule] = []
    /// What messages have to look like.
    package var patterns: [LogPattern] = []
    /// Where lines go, beside or instead of standard error.
    package var sinks: [LogSinkConfiguration] = []
    /// Whether message bodies are printed; they may hold personal data.
    package var payloads = false
    /// The members of message bodies that are never printed.
    package var redact = ["credentials", "customData.token"]

    /// The keys of `log`.
    package static let keys: [Key] = [
        Key("level", \.level, .word, "How much is logged"),
        Key("format", \.format, .word, "The shape of a line; `auto` is text on a terminal and JSON otherwise"),
        Key(
            "origin", \.origin, .word,
            "Where in the sources a line was made: `function` is `function - message`, `location` is `location: function - message`, "
                + "`trailing` is `function - message, location`"),
        Key(
            "levels", \.levels, LogLevelRule.list,
            "Levels for components whose name matches; the first match decides. A list of names has them at `debug`",
            example: "{\"DeviceSession*\": debug}"),
        Key(
            "functions", \.functions, LogFunctionRule.list,
            "Levels for functions of the sources whose name matches, before those of their components; the first match decides",
            example: "{\"CastSession.*\": debug}"),
        Key(
            "patterns", \.patterns, .list(of: .object),
            "What the message of a line has to look like: it is written when one of them is found in it, and none that excludes"
        ),
        Key(
            "sinks", \.sinks, .list(of: .object),
            "Where lines go beside standard error, each with a level and a shape of its own"),
        Key("payloads", \.payloads, .boolean, "Whether message bodies are printed; they may hold personal data"),
        Key(
            "redact", \.redact, .list(of: .text(maximumBytes: 200)),
            "The members of message bodies, and the fields of log lines, that are never printed"),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    package init() {}
}

/// One entry of `log.levels`: the level of the components whose name matches.
package struct LogLevelRule: Sendable, Equatable {
    package var components: Glob
    /// Their level.
    package var level: LogConfiguration.Level

    /// Makes a rule from its parts.
    package init(components: Glob, level: LogConfiguration.Level) {
        self.components = components
        self.level = level
    }

    /// A mapping of patterns to levels, or a list of patterns, which stand for `debug`.
    package static let list = ConfigType<[LogLevelRule]>(
        .oneOf(.map(key: .glob, value: .word(LogConfiguration.Level.self)), .list(of: .glob)), text: { _ in "{}" },
        read: { value in
            if let names = value.list {
                return names.compactMap(\.string).map { LogLevelRule(components: Glob($0), level: .debug) }
            }
            return value.map?.compactMap { entry in
                entry.value.string.flatMap(LogConfiguration.Level.init(rawValue:)).map {
                    LogLevelRule(components: Glob(entry.key), level: $0)
                }
            }
        })
}

/// One entry of `log.functions`: the level of the functions whose name matches.
package struct LogFunctionRule: Sendable, Equatable {
    /// Which functions: `apply`, `apply(_:)`, `CastSession.apply`.
    package var functions: Glob
    /// Their level.
    package var level: LogConfiguration.Level

    /// Makes a rule from its parts.
    package init(functions: Glob, level: LogConfiguration.Level) {
        self.functions = functions
        self.level = level
    }

    /// A mapping of patterns to levels.
    package static let list = ConfigType<[ConfigMapEntry<LogConfiguration.Level>]>.entries(key: .glob, value: .word)
        .converted(
            { $0.map { LogFunctionRule(functions: Glob($0.key), level: $0.value) } },
            { $0.map { ConfigMapEntry(key: $0.functions.pattern, value: $0.level) } })
}

/// One entry of `log.patterns`.
package struct LogPattern: ConfigObject {
    /// A regular expression that is found in the message.
    package var regex: String
    /// Whether upper and lower case are the same.
    package var ignoresCase = false
    /// Whether lines are left out in which it is found.
    package var isExcluding = false

    /// The keys of an element of `log.patterns`.
    package static let keys: [Key] = [
        .required(
            "regex", \.regex, .text(maximumBytes: 200),
            "A regular expression that is found anywhere in the message, without back references and conditions on what follows",
            example: "'^(Launch|Load)'"),
        Key("ignore_case", \.ignoresCase, .boolean, "Whether upper and lower case are the same"),
        Key("exclude", \.isExcluding, .boolean, "Whether lines in which it is found are left out"),
    ]

    /// Makes a pattern with its defaults.
    package init(regex: String) {
        self.regex = regex
    }

    /// A pattern before it is read.
    package init(blank: ConfigBlank) { self.init(regex: "") }

    /// Adds an expression that does not compile.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard section.isValid("regex") else { return }
        do throws(MessagePatternError) {
            _ = try MessagePattern(section.string("regex"))
        } catch {
            problems.add(
                .badExpression, at: section.location("regex"),
                "'\(section.path("regex"))' cannot be used: \(error.description)")
        }
    }
}
