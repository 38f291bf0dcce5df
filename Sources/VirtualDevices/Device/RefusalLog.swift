import GatewayCore
import Logging
import NIOCore
import Synchronization

/// Tells that senders were turned away: once a minute for each address, with a count, so that a flood of them floods
/// neither the log nor whoever listens to events.
final class RefusalLog: Sendable {
    private let device: String
    private let events: EventBus
    private let logger: Logger
    private let throttle = Mutex(LogThrottle<String>(linesPerWindow: 1))

    init(device: String, events: EventBus, logger: Logger) {
        self.device = device
        self.events = events
        self.logger = logger
    }

    func note(address: String, reason: String, at now: NIODeadline) {
        let unsaid = self.throttle.withLock { $0.admit(address, at: now) }
        guard let unsaid else {
            self.logger.debug("Sender turned away", metadata: ["address": "\(address)", "reason": "\(reason)"])
            return
        }
        self.logger.notice(
            "Sender turned away",
            metadata: ["address": "\(address)", "reason": "\(reason)", "count": .stringConvertible(unsaid + 1)])
        self.events.publish(
            .senderRefused(device: self.device, address: address, reason: reason, count: unsaid + 1))
    }
}
