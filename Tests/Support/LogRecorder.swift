package import Logging
import Synchronization

/// Keeps what is logged.
package final class LogRecorder: Sendable {
    /// One line of the log.
    package struct Entry: Sendable, CustomStringConvertible {
        /// Which logger wrote it.
        package let label: String
        /// How much it matters.
        package let level: Logger.Level
        /// Its text, without the metadata.
        package let message: String
        /// The logger's metadata and the line's own.
        package let metadata: Logger.Metadata
        /// `Module/File.swift` of the code that wrote it.
        package let file: String

        /// All that an operator sees of it.
        package var description: String { "\(self.level) \(self.message) \(self.metadata)" }
    }

    private let recorded = Mutex<[Entry]>([])
    private let (news, newsInput) = AsyncStream.makeStream(of: Entry.self)

    /// Makes a recorder of an empty log.
    package init() {}

    /// Waits for the next line of a text, from the first line on or behind the one that was waited for last.
    /// - Returns: nil when the task is cancelled.
    package func next(_ message: String) async -> Entry? { await self.news.first { $0.message == message } }

    /// All lines so far.
    package var entries: [Entry] { self.recorded.withLock { $0 } }

    /// The lines so far that matter this much or more.
    package func entries(atLeast level: Logger.Level) -> [Entry] {
        self.entries.filter { $0.level >= level }
    }

    /// A logger of which every line is kept, down to trace.
    package func logger(_ label: String = "test") -> Logger {
        Logger(label: label) { Handler(label: $0, recorder: self) }
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
            let entry = Entry(
                label: self.label, level: event.level, message: "\(event.message)",
                metadata: self.metadata.merging(event.metadata ?? [:]) { $1 }, file: event.file)
            self.recorder.recorded.withLock { $0.append(entry) }
            self.recorder.newsInput.yield(entry)
        }
    }
}
