import Logging
import Synchronization

/// Keeps what is logged.
final class LogRecorder: Sendable {
    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }
            self.recorder.entries.withLock { $0.append((event.level, "\(event.message)", metadata)) }
        }
    }

    let entries = Mutex<[(level: Logger.Level, message: String, metadata: Logger.Metadata)]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self) } }

    func lines(atLeast level: Logger.Level) -> [String] {
        self.entries.withLock { $0.filter { $0.level >= level }.map(\.message) }
    }
}
