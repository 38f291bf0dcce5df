import CastTransport
import GatewayCore
import Logging
import NIOCore

/// Says that an address sends more than it may: once a minute in the log, and as an event.
final class ThrottleReport {
    private let device: String
    private let events: EventBus
    private let logger: Logger
    private var log = LogThrottle<String>(linesPerWindow: 1)

    /// - Parameter device: the virtual device's name.
    init(device: String, events: EventBus, logger: Logger) {
        self.device = device
        self.events = events
        self.logger = logger
    }

    func throttled(_ block: AddressBlock, at now: NIODeadline) {
        guard let count = self.log.admit(block.description, at: now) else { return }
        self.logger.notice(
            "Sender throttled",
            metadata: ["address": "\(block)", "reason": "throttled", "count": .stringConvertible(count + 1)])
        self.events.publish(.senderThrottled(device: self.device, address: block.description, count: count + 1))
    }
}
