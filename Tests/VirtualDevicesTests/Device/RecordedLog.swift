import Logging
import Synchronization

/// Log lines with their metadata, kept.
final class RecordedLog: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let text: String
    }

    private let kept = Mutex<[Line]>([])

    /// What an operator sees: notices and above.
    var notices: [String] { self.kept.withLock { $0.filter { $0.level >= .notice }.map(\.text) } }

    /// A logger that keeps everything.
    func logger() -> Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = self.metadata.merging(event.metadata ?? [:]) { $1 }
            self.log.kept.withLock { $0.append(Line(level: event.level, text: "\(event.message) \(all)")) }
        }
    }
}
