import CastTransport
import Logging
import NIOCore
import Synchronization

/// Logs that no sender can be accepted for a while, over all virtual devices.
final class AcceptShortageLog: Sendable {
    private let logger: Logger
    private let shortage = Mutex(AcceptShortage())

    init(logger: Logger) {
        self.logger = logger
    }

    func note(_ outcome: AcceptOutcome) {
        switch outcome {
        case .accepted: self.obey(self.shortage.withLock { $0.isShort ? $0.accepted() : .none }, reason: "")
        case .failed(let reason): self.obey(self.shortage.withLock { $0.failed(at: .now()) }, reason: reason)
        }
    }

    private func obey(_ action: AcceptShortage.Action, reason: String) {
        switch action {
        case .none: break
        case .warn:
            self.logger.error(
                "New senders cannot be accepted; those that are connected are served, and it is tried again",
                metadata: ["reason": "\(reason)"])
        case .tellEnd(let failures):
            self.logger.notice(
                "New senders are accepted again", metadata: ["failed_attempts": .stringConvertible(failures)])
        }
    }
}
