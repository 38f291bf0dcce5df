import GatewayConfig
package import Logging
import Synchronization

/// What is done with each record: what of it is hidden, whether it is written, and where.
struct LogPlan: Sendable {
    /// One place that lines go to.
    struct Sink: Sendable {
        /// The least level that it gets.
        var level: LogConfiguration.Level
        let write: @Sendable (LogRecord) -> Void
    }

    /// What lines of one place look like.
    struct Shape: Sendable {
        var format: LogLineFormat
        var origin: LogConfiguration.Origin

        /// The line with its line break.
        func line(_ record: LogRecord) -> String { self.format.line(record, origin: self.origin) }
    }

    var redaction: LogRedaction
    var filter: LogFilter
    /// What lines of standard error look like, whether or not they are written.
    var console: Shape
    var sinks: [Sink] = []
    /// Whether a sink says where records were made.
    var hasOrigin = false
}

/// What all handlers of a process go by: `log` of the configuration in force, and what standard error is.
package final class LogSettings: Sendable {
    private struct State {
        var configuration: LogConfiguration
        var levels: [String: ComponentLevel] = [:]
        var files: [String: LogFile] = [:]
    }

    /// Where records become events.
    let events = LogEventQueue()
    private let isTerminal: Bool
    private let isColoured: Bool
    private let console: @Sendable (String) -> Void
    private let state: Mutex<State>
    private let currentPlan: Mutex<LogPlan>

    /// - Parameter console: takes lines for standard error, each with its line break.
    init(
        _ configuration: LogConfiguration, isTerminal: Bool, isColoured: Bool,
        console: @escaping @Sendable (String) -> Void
    ) {
        self.isTerminal = isTerminal
        self.isColoured = isColoured
        self.console = console
        self.state = Mutex(State(configuration: configuration))
        self.currentPlan = Mutex(
            LogPlan(
                redaction: LogRedaction(configuration.redact), filter: LogFilter(configuration),
                console: LogPlan.Shape(format: .json, origin: .none)))
        self.apply(configuration)
    }

    /// What is done with records now.
    var plan: LogPlan { self.currentPlan.withLock { $0 } }

    /// The components that have loggers, with their levels.
    var components: [String: LogConfiguration.Level] { self.state.withLock { $0.levels.mapValues(\.level) } }

    /// The files that are written to.
    var files: [LogFile] { self.state.withLock { $0.files.values.sorted { $0.path < $1.path } } }

    /// The level of a component, which follows the configuration.
    func level(of component: String) -> ComponentLevel {
        self.state.withLock { state in
            if let known = state.levels[component] { return known }
            let made = ComponentLevel()
            made.set(state.configuration, component: component)
            state.levels[component] = made
            return made
        }
    }

    /// Goes by another configuration from the next line on. Files are opened anew, so that something else may have renamed them.
    func apply(_ configuration: LogConfiguration) {
        self.state.withLock { state in
            state.configuration = configuration
            for (component, level) in state.levels { level.set(configuration, component: component) }
            let wanted = configuration.sinks.compactMap(\.file)
            state.files = state.files.filter { path, _ in wanted.contains { $0.path == path } }
            for file in wanted {
                let known = state.files[file.path]
                let opened = known ?? LogFile(file.path) { [weak self] in self?.tell($0, except: file.path) }
                state.files[file.path] = opened
                opened.apply(file)
            }
            let plan = self.plan(configuration, state.files)
            self.currentPlan.withLock { $0 = plan }
        }
    }

    /// Opens the files anew, with the limits that hold.
    func reopenFiles() {
        self.state.withLock { state in
            for file in state.configuration.sinks.compactMap(\.file) { state.files[file.path]?.apply(file) }
        }
    }

    private func plan(_ log: LogConfiguration, _ files: [String: LogFile]) -> LogPlan {
        let ownConsole = log.sinks.first { $0.console != nil }
        var plan = LogPlan(
            redaction: LogRedaction(log.redact), filter: LogFilter(log),
            console: self.shape(ownConsole ?? LogSinkConfiguration(), log, isTerminal: self.isTerminal))
        if ownConsole?.console ?? true {
            let (shape, console) = (plan.console, self.console)
            plan.sinks.append(
                LogPlan.Sink(level: ownConsole?.level ?? .trace) { console(shape.line($0)) })
            plan.hasOrigin = shape.origin != .none
        }
        for sink in log.sinks {
            if let file = sink.file.flatMap({ files[$0.path] }) {
                let shape = self.shape(sink, log, isTerminal: false)
                file.setShape(shape)
                plan.sinks.append(LogPlan.Sink(level: sink.level) { file.queue.write(shape.line($0)) })
                plan.hasOrigin = plan.hasOrigin || shape.origin != .none
            } else if sink.events == true {
                let (events, origin) = (self.events, sink.origin ?? log.origin)
                plan.sinks.append(LogPlan.Sink(level: sink.level) { events.write($0, origin: origin) })
                plan.hasOrigin = plan.hasOrigin || origin != .none
            }
        }
        return plan
    }

    private func shape(_ sink: LogSinkConfiguration, _ log: LogConfiguration, isTerminal: Bool) -> LogPlan.Shape {
        let format: LogLineFormat =
            switch sink.format ?? log.format {
            case .auto: isTerminal ? .text(isColoured: self.isColoured) : .json
            case .text: .text(isColoured: isTerminal && self.isColoured)
            case .json: .json
            }
        return LogPlan.Shape(format: format, origin: sink.origin ?? log.origin)
    }

    /// Tells what became of a file, in all other places.
    private func tell(_ record: LogRecord, except path: String) {
        let (plan, others) = (self.plan, self.files.filter { $0.path != path })
        if self.state.withLock({ $0.configuration.sinks.first { $0.console != nil }?.console ?? true }) {
            self.console(plan.console.line(record))
        }
        for file in others { file.write(record) }
        self.events.write(record, origin: .none)
    }
}

/// The level of one component, read by every call of a logger: one load, no lock.
final class ComponentLevel: Sendable {
    private static let levels = Logger.Level.allCases

    /// The level that calls of loggers are compared with: that of the component, or of a function that logs more.
    private let gateIndex = Atomic(0)
    private let ownIndex = Atomic(0)

    /// The level below which nothing is made.
    var gate: Logger.Level { Self.levels[self.gateIndex.load(ordering: .relaxed)] }

    /// The level of the component.
    var level: LogConfiguration.Level { LogConfiguration.Level.allCases[self.ownIndex.load(ordering: .relaxed)] }

    func set(_ configuration: LogConfiguration, component: String) {
        let level = configuration.level(of: component)
        // Where all is off, the records of the highest level, which are few, are left out later.
        let gate = ([level] + configuration.functions.map(\.level)).compactMap(\.least).min() ?? .critical
        self.ownIndex.store(LogConfiguration.Level.allCases.firstIndex(of: level) ?? 0, ordering: .relaxed)
        self.gateIndex.store(Self.levels.firstIndex(of: gate) ?? 0, ordering: .relaxed)
    }
}

extension LogConfiguration {
    /// The level of a component: that of the first rule that means it, or the general one.
    package func level(of component: String) -> Level {
        self.levels.first { $0.components.means(component: component) }?.level ?? self.level
    }
}

extension LogConfiguration.Level {
    /// The same for loggers, which have no word for nothing.
    fileprivate var least: Logger.Level? { Logger.Level(rawValue: self.rawValue) }

    /// Whether records of a level are written at this one.
    package func admits(_ level: Logger.Level) -> Bool { self.least.map { level >= $0 } ?? false }
}
