import CastWire
import Logging
import Synchronization

/// Turns `log` of `gateway.yaml` into what loggers do.
///
/// A component's name is the label of its logger: `Gateway`, `VirtualDevice`, `DeviceSession`. Lines go to standard
/// error: text for a terminal, one JSON object a line otherwise. `log.levels` gives components a level of their own; of
/// several rules that match, the first one in the file decides, and `log.level` where none does.
///
///     LoggingSetup.bootstrap(configuration.log, isTerminal: isatty(STDERR_FILENO) == 1)
///     let logger = Logger(label: "Gateway")
public enum LoggingSetup {
    /// Sets up logging for the whole process. Call it once, before the first logger is made.
    ///
    /// - Parameters:
    ///   - configuration: What `gateway.yaml` says.
    ///   - isTerminal: Whether standard error is a terminal.
    ///   - isColoured: Whether text may have colours; has no effect elsewhere than on a terminal.
    public static func bootstrap(_ configuration: LogConfiguration, isTerminal: Bool, isColoured: Bool = false) {
        let settings = LogSettings(configuration, isTerminal: isTerminal, isColoured: isColoured)
        Self.settings.withLock { $0 = settings }
        LoggingSystem.bootstrap(Self.factory(settings, output: StandardErrorOutput.write))
        StandardErrorOutput.setLossNotice { lines in
            // In the format of that moment.
            settings.shape.format.line(
                LogRecord(
                    instant: .now, level: .warning, component: "Log",
                    message: "Lines of the log were lost, since they were not read or could not be written",
                    fields: [("lines", .number(lines))]))
        }
    }

    /// Lets every logger of the process go by another `log`, from its next line on. Does nothing before
    /// ``bootstrap(_:isTerminal:isColoured:)``.
    public static func apply(_ configuration: LogConfiguration) {
        Self.settings.withLock { $0 }?.apply(configuration)
    }

    private static let settings = Mutex<LogSettings?>(nil)

    /// Whether text may have colours: on a terminal that knows them, unless `NO_COLOR` is set (https://no-color.org).
    ///
    /// - Parameter environment: The variables of the process.
    public static func mayColour(isTerminal: Bool, environment: [String: String]) -> Bool {
        isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Makes the function that gives every label its handler.
    ///
    /// - Parameters:
    ///   - output: Takes whole lines, each with its line break.
    ///   - now: The time that lines carry.
    static func factory(
        _ configuration: LogConfiguration, isTerminal: Bool, isColoured: Bool,
        output: @escaping @Sendable (String) -> Void, now: @escaping @Sendable () -> LogInstant = { .now }
    ) -> @Sendable (String) -> any LogHandler {
        Self.factory(
            LogSettings(configuration, isTerminal: isTerminal, isColoured: isColoured), output: output, now: now)
    }

    /// Makes the function that gives every label its handler, by settings that may change.
    static func factory(
        _ settings: LogSettings, output: @escaping @Sendable (String) -> Void,
        now: @escaping @Sendable () -> LogInstant = { .now }
    ) -> @Sendable (String) -> any LogHandler {
        { label in ComponentLogHandler(component: label, settings: settings, output: output, now: now) }
    }
}
