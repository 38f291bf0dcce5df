package import CastTransport
package import GatewayCore
package import Logging
package import NIOCore
import Synchronization

/// Logs and publishes that senders were refused: once a minute for each address, with a count, so that a flood of them floods
/// neither the log nor the subscribers of events.
package final class RefusalLog: Sendable {
    private let device: String
    private let events: EventBus
    private let logger: Logger
    private let throttle = Mutex(LogThrottle<String>(linesPerWindow: 1))

    /// - Parameter device: the virtual device's name.
    package init(device: String, events: EventBus, logger: Logger) {
        self.device = device
        self.events = events
        self.logger = logger
    }

    /// An address was turned away.
    package func note(address: String, reason: String, listener: ListenerKind = .senders, at now: NIODeadline) {
        let unsaid = self.throttle.withLock { $0.admit(address, at: now) }
        var metadata: Logger.Metadata = ["address": "\(address)", "reason": "\(reason)"]
        if listener != .senders { metadata["listener"] = "\(listener.rawValue)" }
        guard let unsaid else {
            self.logger.debug("Sender turned away", metadata: metadata)
            return
        }
        metadata["count"] = .stringConvertible(unsaid + 1)
        self.logger.notice("Sender turned away", metadata: metadata)
        self.events.publish(
            .senderRefused(device: self.device, address: address, reason: reason, count: unsaid + 1))
    }
}
