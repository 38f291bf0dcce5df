import Logging
import Synchronization

/// Keeps what is logged, with the file that logged it.
final class LogRecorder: Sendable {
    struct Entry: Sendable {
        let label: String
        let level: Logger.Level
        let message: String
        let metadata: Logger.Metadata
        /// `Module/File.swift`
        let file: String
    }

    private let recorded = Mutex<[Entry]>([])

    var entries: [Entry] { self.recorded.withLock { $0 } }

    func makeLogger(_ label: String) -> Logger {
        Logger(label: label) { Handler(label: $0, recorder: self) }
    }

    private func record(_ entry: Entry) {
        self.recorded.withLock { $0.append(entry) }
    }

    private struct Handler: LogHandler {
        let label: String
        let recorder: LogRecorder
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            self.recorder.record(
                Entry(
                    label: self.label, level: event.level, message: "\(event.message)",
                    metadata: self.metadata.merging(event.metadata ?? [:]) { $1 }, file: event.file))
        }
    }
}
