import Glibc

/// Where log lines go: standard error, by way of a ``LineQueue``.
package enum StandardErrorOutput {
    private static let queue = LineQueue(descriptor: STDERR_FILENO)

    /// Queues a line, with its line break; it is lost when the reader has gone.
    @Sendable package static func write(_ line: String) {
        Self.queue.write(line)
    }

    /// Sets what is written in the place of lines that were lost.
    static func setLossNotice(_ notice: @escaping LineQueue.LossNotice) {
        Self.queue.setLossNotice(notice)
    }

    /// Waits until everything is written; call it before the process ends.
    /// - Returns: false when that takes longer than the time given.
    @discardableResult
    package static func flush(within time: Duration = .seconds(1)) -> Bool {
        Self.queue.flush(within: time)
    }
}
