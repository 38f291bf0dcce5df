import CastTransport
import CastWire
import DeviceListening
import GatewayCore
import Logging
import NIOCore

/// Logs and publishes what the splices of one device do, by the events that other virtual devices have too.
///
/// As senders' lines elsewhere each address has so many a minute. Lives on the device's event loop.
final class SpliceLog {
    private let device: String
    private let events: EventBus
    private let refusals: RefusalLog
    private let logger: Logger
    private let eventLoop: any EventLoop
    private var lines = LogThrottle<String>(linesPerWindow: 60)
    private var faults = LogThrottle<String>(linesPerWindow: 30)

    init(device: String, events: EventBus, refusals: RefusalLog, eventLoop: any EventLoop, logger: Logger) {
        self.device = device
        self.events = events
        self.refusals = refusals
        self.eventLoop = eventLoop
        self.logger = logger
    }

    func opened(_ splice: Splice) {
        var metadata: Logger.Metadata = ["connection": "\(splice.id)", "address": "\(splice.address)"]
        if let target = splice.target { metadata["target"] = "\(target)" }
        self.log(.info, "Sender connected", splice.address, metadata, isFault: false)
        self.events.publish(
            .senderConnected(device: self.device, connection: splice.id, address: splice.address))
    }

    func ended(_ splice: Splice, _ reason: SpliceEnding) {
        guard splice.wasOpen else { return self.refused(splice, reason) }
        let metadata: Logger.Metadata = [
            "connection": "\(splice.id)", "reason": "\(reason)",
            "from_sender": .stringConvertible(splice.received.sender),
            "from_device": .stringConvertible(splice.received.device),
        ]
        let text: Logger.Message = reason.isFault ? "Sender disconnected for a fault" : "Sender disconnected"
        self.log(reason.isFault ? .notice : .info, text, splice.address, metadata, isFault: reason.isFault)
        self.events.publish(
            .senderDisconnected(
                device: self.device, connection: splice.id, reason: "\(reason)", closeReason: reason.closeReason))
    }

    func turnedAway(_ address: String, _ reason: String) {
        self.refusals.note(address: address, reason: reason, at: self.eventLoop.now)
    }

    private func refused(_ splice: Splice, _ reason: SpliceEnding) {
        guard case .closed(by: .sender) = reason else {
            return self.refusals.note(address: splice.address, reason: "\(reason)", at: self.eventLoop.now)
        }
        // Scanners do so, and senders that try whether something listens.
        self.log(
            .info, "Connection ended before it began", splice.address, ["address": "\(splice.address)"], isFault: false)
    }

    private func log(
        _ level: Logger.Level, _ text: Logger.Message, _ address: String, _ metadata: Logger.Metadata, isFault: Bool
    ) {
        var metadata = metadata
        let now = self.eventLoop.now
        let level =
            isFault
            ? self.faults.level(level, for: address, at: now, metadata: &metadata)
            : self.lines.level(level, for: address, at: now, metadata: &metadata)
        self.logger.log(level: level, text, metadata: metadata)
    }
}

extension SpliceEnding {
    /// The close reason for the end that no sender has announced: what a sender says to the device is not seen.
    fileprivate var closeReason: ConnectionPayload.CloseReason {
        switch self {
        case .closed(by: .sender): .transportClosed
        case .closed(by: .device), .failed, .unreachable: .transportAborted
        case .silentSender, .evicted, .idle, .stalled: .inactive
        case .notTLS: .invalidMessage
        case .deviceAway, .deviceMoved, .outsideHours, .closedLocally: .closedBySelf
        }
    }
}
