import Logging
import Synchronization

/// Logs that senders were turned away, once per address, so that a flood of them does not flood the log.
final class RefusalLog: Sendable {
    private static let limit = 256

    private let logger: Logger
    private let seen = Mutex(Set<String>())

    init(logger: Logger) {
        self.logger = logger
    }

    func note(address: String, reason: String) {
        let isNew = self.seen.withLock { seen in
            if seen.count >= Self.limit { seen.removeAll() }
            return seen.insert(address).inserted
        }
        self.logger.log(
            level: isNew ? .notice : .debug, "Sender turned away",
            metadata: ["address": "\(address)", "reason": "\(reason)"])
    }
}
