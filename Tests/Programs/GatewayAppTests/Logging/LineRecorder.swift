import Logging
import Synchronization

@testable import GatewayLogging

/// Collects the lines that loggers write.
final class LineRecorder: Sendable {
    private let storage = Mutex<[String]>([])

    var lines: [String] { self.storage.withLock { $0 } }

    /// A logger as the configuration wants it, at five past eight.
    func logger(
        _ label: String, _ configuration: LogConfiguration, isTerminal: Bool = false, isColoured: Bool = false
    ) -> Logger {
        let factory = LoggingSetup.factory(
            configuration, isTerminal: isTerminal, isColoured: isColoured,
            output: { line in self.storage.withLock { $0.append(line) } },
            now: { LogInstant(seconds: 1_769_846_709, milliseconds: 7, localOffset: 3600) })
        return Logger(label: label, factory: factory)
    }
}
