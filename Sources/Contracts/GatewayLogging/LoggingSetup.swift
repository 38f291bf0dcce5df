import CastWire
import GatewayConfig
package import GatewayCore
package import Logging
package import NIOCore
import Synchronization
import SystemPrimitives

/// Turns `log` of `gateway.yaml` into what loggers do.
///
/// A component's name is the label of its logger: `Gateway`, `VirtualDevice`, `DeviceSession`. Lines go to standard
/// error: text for a terminal, one JSON object a line otherwise. `log.levels` gives components a level of their own; of
/// several rules that match, the first one in the file decides, and `log.level` where none does.
///
///     LoggingSetup.bootstrap(configuration.log, isTerminal: isatty(STDERR_FILENO) == 1)
///     let logger = Logger(label: "Gateway")
package enum LoggingSetup {
    /// Sets up logging for the whole process. Call it once, before the first logger is made.
    ///
    /// - Parameters:
    ///   - configuration: What `gateway.yaml` says.
    ///   - isTerminal: Whether standard error is a terminal.
    ///   - isColoured: Whether text may have colours; has no effect elsewhere than on a terminal.
    package static func bootstrap(_ configuration: LogConfiguration, isTerminal: Bool, isColoured: Bool = false) {
        let settings = LogSettings(
            configuration, isTerminal: isTerminal, isColoured: isColoured, console: StandardErrorOutput.write)
        Self.settings.set(settings)
        LoggingSystem.bootstrap(Self.factory(settings))
        // In the format of that moment.
        StandardErrorOutput.setLossNotice { settings.plan.console.line(.loss(of: $0)) }
    }

    /// Waits until everything is written, to standard error and to files; call it before the process ends.
    package static func flush(within time: Duration = .seconds(1)) {
        StandardErrorOutput.flush(within: time)
        for file in Self.settings.value?.files ?? [] { file.queue.flush(within: time) }
    }

    /// Has lines for events published there, where the configuration has a sink for them; nil for nowhere.
    package static func attach(_ events: EventBus?, on eventLoop: any EventLoop) {
        guard let queue = Self.settings.value?.events else { return }
        guard let events else { return queue.attach(nil) }
        queue.attach({ events.recordLog($0) }, on: eventLoop, isWanted: { events.wantsLog })
    }

    /// The files of the log now, with what could not be written to each.
    package static var files: [LogFile] { Self.settings.value?.files ?? [] }

    /// Lets every logger of the process go by another `log`, from its next line on. Does nothing before
    /// ``bootstrap(_:isTerminal:isColoured:)``.
    package static func apply(_ configuration: LogConfiguration) {
        Self.settings.value?.apply(configuration)
    }

    /// Opens the files of the log anew, since something else may have renamed them. Does nothing before ``bootstrap(_:isTerminal:isColoured:)``.
    package static func reopenFiles() { Self.settings.value?.reopenFiles() }

    /// The components that have logged so far, with their levels now; none before ``bootstrap(_:isTerminal:isColoured:)``.
    package static var components: [String: LogConfiguration.Level] { Self.settings.value?.components ?? [:] }

    private static let settings = Current<LogSettings?>(nil)

    /// Whether text may have colours: on a terminal that knows them, unless `NO_COLOR` is set (https://no-color.org).
    ///
    /// - Parameter environment: The variables of the process.
    package static func mayColour(isTerminal: Bool, environment: [String: String]) -> Bool {
        isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Makes the function that gives every label its handler.
    ///
    /// - Parameters:
    ///   - output: Takes whole lines, each with its line break.
    ///   - now: The time that lines carry.
    package static func factory(
        _ configuration: LogConfiguration, isTerminal: Bool, isColoured: Bool,
        output: @escaping @Sendable (String) -> Void, now: @escaping @Sendable () -> LogInstant = { .now }
    ) -> @Sendable (String) -> any LogHandler {
        Self.factory(
            LogSettings(configuration, isTerminal: isTerminal, isColoured: isColoured, console: output), now: now)
    }

    /// Makes the function that gives every label its handler, by settings that may change.
    package static func factory(
        _ settings: LogSettings, now: @escaping @Sendable () -> LogInstant = { .now }
    ) -> @Sendable (String) -> any LogHandler {
        { label in ComponentLogHandler(component: label, settings: settings, now: now) }
    }
}
