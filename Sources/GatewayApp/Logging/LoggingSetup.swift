import CastWire
import GatewayConfig
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

    /// The components that have logged so far, with their levels now; none before ``bootstrap(_:isTerminal:isColoured:)``.
    static var components: [String: Logger.Level] { Self.settings.withLock { $0 }?.components ?? [:] }

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

/// What all handlers of a process go by: `log` of the configuration in force, and what standard error is.
final class LogSettings: Sendable {
    struct Shape {
        var format: LogLineFormat
        var redaction: LogRedaction
    }

    private struct State {
        var configuration: LogConfiguration
        var levels: [String: ComponentLevel] = [:]
    }

    private let isTerminal: Bool
    private let isColoured: Bool
    private let state: Mutex<State>
    private let currentShape: Mutex<Shape>

    init(_ configuration: LogConfiguration, isTerminal: Bool, isColoured: Bool) {
        self.isTerminal = isTerminal
        self.isColoured = isColoured
        self.state = Mutex(State(configuration: configuration))
        self.currentShape = Mutex(Self.shape(configuration, isTerminal: isTerminal, isColoured: isColoured))
    }

    /// How lines look now.
    var shape: Shape { self.currentShape.withLock { $0 } }

    /// The components that have loggers, with their levels.
    var components: [String: Logger.Level] { self.state.withLock { $0.levels.mapValues(\.level) } }

    /// The level of a component, which follows the configuration.
    func level(of component: String) -> ComponentLevel {
        self.state.withLock { state in
            if let known = state.levels[component] { return known }
            let made = ComponentLevel(state.configuration.level(of: component))
            state.levels[component] = made
            return made
        }
    }

    /// Goes by another configuration from the next line on.
    func apply(_ configuration: LogConfiguration) {
        self.state.withLock { state in
            state.configuration = configuration
            for (component, level) in state.levels { level.set(configuration.level(of: component)) }
        }
        let shape = Self.shape(configuration, isTerminal: self.isTerminal, isColoured: self.isColoured)
        self.currentShape.withLock { $0 = shape }
    }

    private static func shape(_ configuration: LogConfiguration, isTerminal: Bool, isColoured: Bool) -> Shape {
        let format: LogLineFormat =
            switch configuration.format {
            case .auto: isTerminal ? .text(isColoured: isColoured) : .json
            case .text: .text(isColoured: isTerminal && isColoured)
            case .json: .json
            }
        return Shape(format: format, redaction: LogRedaction(configuration.redact))
    }
}

/// The level of one component, read by every call of a logger: one load, no lock.
final class ComponentLevel: Sendable {
    private static let levels = Logger.Level.allCases

    private let index: Atomic<Int>

    init(_ level: Logger.Level) {
        self.index = Atomic(Self.index(of: level))
    }

    var level: Logger.Level { Self.levels[self.index.load(ordering: .relaxed)] }

    func set(_ level: Logger.Level) {
        self.index.store(Self.index(of: level), ordering: .relaxed)
    }

    private static func index(of level: Logger.Level) -> Int {
        self.levels.firstIndex(of: level) ?? 0
    }
}

extension LogConfiguration {
    /// The level of a component: that of the first rule that matches its name, or the general one.
    func level(of component: String) -> Logger.Level {
        (self.levels.first { $0.components.matches(component) }?.level ?? self.level).loggerLevel
    }
}

extension LogConfiguration.Level {
    /// The same level in the words of loggers.
    fileprivate var loggerLevel: Logger.Level {
        switch self {
        case .trace: .trace
        case .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        }
    }
}
