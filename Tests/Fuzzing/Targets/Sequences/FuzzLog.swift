import Logging
import Synchronization

/// Keeps what an operator would be warned of.
final class FuzzLog: Sendable {
    private let lines = Mutex<[String]>([])

    /// The warnings so far.
    var warnings: [String] { self.lines.withLock { $0 } }

    /// A logger that makes nothing of what is less than a warning.
    func logger() -> Logger {
        Logger(label: "fuzz") { _ in Handler(log: self) }
    }

    private struct Handler: LogHandler {
        let log: FuzzLog
        var logLevel = Logger.Level.warning
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            self.log.lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }
}
