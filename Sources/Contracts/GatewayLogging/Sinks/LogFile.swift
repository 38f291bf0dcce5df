import CastWire
import Logging
import Synchronization

/// A file of the log: lines wait in a queue and are written on its thread, so that a full disk, and a file system that hangs, cost lines
/// and no time.
package final class LogFile: Sendable {
    package let path: String
    package let queue: LineQueue
    private let writer: RotatingFileWriter
    private let shape = Mutex(LogPlan.Shape(format: .json, origin: .none))

    /// - Parameter tell: takes a record when the file cannot be written to any more, and when it can again; called on the thread of the
    ///   queue.
    package init(_ path: String, tell: @escaping @Sendable (LogRecord) -> Void) {
        self.path = path
        let writer = RotatingFileWriter(path: path) { reason in
            var fields: [(name: String, value: JSONValue)] = [("path", .string(path))]
            if let reason { fields.append(("reason", .string(reason))) }
            tell(
                LogRecord(
                    instant: .now, level: reason == nil ? .notice : .warning, component: "Log",
                    message: reason == nil
                        ? "A file of the log can be written to again" : "A file of the log cannot be written to",
                    fields: fields))
        }
        self.writer = writer
        self.queue = LineQueue { writer.write($0) }
        self.queue.setLossNotice { [weak self] lines in self?.line(.loss(of: lines)) ?? "" }
    }

    /// Takes its limits, and opens it anew.
    package func apply(_ configuration: LogFileConfiguration) {
        self.queue.perform { [writer] in writer.open(configuration) }
    }

    /// Sets what the lines look like that it has of itself.
    func setShape(_ shape: LogPlan.Shape) { self.shape.withLock { $0 = shape } }

    /// Queues a record.
    package func write(_ record: LogRecord) { self.queue.write(self.line(record)) }

    private func line(_ record: LogRecord) -> String { self.shape.withLock { $0 }.line(record) }
}
