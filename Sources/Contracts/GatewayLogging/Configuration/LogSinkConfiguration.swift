package import GatewayConfig

/// One entry of `log.sinks`: standard error, a file, or events.
package struct LogSinkConfiguration: ConfigSettings {
    /// Whether it is standard error, and whether that gets anything.
    package var console: Bool?
    package var file: LogFileConfiguration?
    /// Whether it is the event `log.record`, and whether that is told.
    package var events: Bool?
    /// The least level that it gets, of what the levels of components have let through.
    package var level = LogConfiguration.Level.trace
    /// The shape of its lines; nil for `log.format`, with which a file has no terminal.
    package var format: LogConfiguration.Format?
    /// What its lines say of where they were made; nil for `log.origin`.
    package var origin: LogConfiguration.Origin?

    /// The keys of an element of `log.sinks`.
    package static let keys: [Key] = [
        .optional(
            "console", \.console, .boolean,
            "Standard error, which gets every line without an entry of its own; `false` switches it off"),
        .optional("file", \.file, .object, "A file that is put aside when it is full"),
        .optional(
            "events", \.events, .boolean,
            "The event `log.record` for readers that name it; `false` switches it off, as it is without an entry"),
        Key(
            "level", \.level, .word,
            "The least level that it gets, of what `log.level`, `log.levels` and `log.functions` let through"),
        .optional("format", \.format, .word, "The shape of its lines; without it that of `log.format`"),
        .optional("origin", \.origin, .word, "Where its lines were made; without it as `log.origin` says"),
    ]

    /// Makes a sink that is none yet.
    package init() {}

    /// Adds an entry that is no sink, or several.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        let kinds = ["console", "file", "events"]
        let written = kinds.filter(section.isWritten)
        guard written.count != 1, kinds.allSatisfy({ !section.has($0) || section.isValid($0) }) else { return }
        problems.add(
            .inconsistent, at: section.location,
            "'\(section.path)' must have one of 'console', 'file' and 'events', not \(written.isEmpty ? "none" : "several")"
        )
    }
}

/// `log.sinks[].file`: a file for lines of the log, and how much of it is kept.
package struct LogFileConfiguration: ConfigObject {
    /// Where it is.
    package var path: String
    /// How large it may become, in bytes.
    package var maximumSize = 2 << 20
    /// How many files there are at most: the one that is written to and those that were put aside, `PATH.1` being the newest of them.
    package var maximumCount = 2

    /// The keys of `log.sinks[].file`.
    package static let keys: [Key] = [
        .required(
            "path", \.path, .path, "The file; its folder must be there and be writable",
            example: "/var/log/castway/castway.log"),
        Key(
            "max_size", \.maximumSize, .size((32 << 10)...(1 << 30)),
            "How large it may become; then it is renamed to `PATH.1`, and a new one is begun"),
        Key(
            "max_count", \.maximumCount, .integer(2...1000), "How many files are kept, with the one that is written to"),
    ]

    /// Makes a file with its defaults.
    package init(path: String) {
        self.path = path
    }

    /// A file before it is read.
    package init(blank: ConfigBlank) { self.init(path: "") }
}
