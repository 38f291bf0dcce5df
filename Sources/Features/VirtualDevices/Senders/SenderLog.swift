import CastTransport
import CastWire
import GatewayCore
import Logging
import NIOCore

/// Logs and publishes what the senders of one virtual device do.
///
/// Senders can cause lines without end, so each address has so many lines a minute; what is beyond goes to the level debug,
/// and the next line at its own level counts what was left out (``LogThrottle``). Faults are counted apart from the rest, so
/// that senders that connect and disconnect without end cannot hide what others are closed for. Throttling is logged once a
/// minute for each address. Lives on the device's event loop.
final class SenderLog {
    private let device: String
    private let events: EventBus
    private let logger: Logger
    private let eventLoop: any EventLoop
    private var lines = LogThrottle<String>(linesPerWindow: 60)
    private var faults = LogThrottle<String>(linesPerWindow: 30)
    private var throttlings = LogThrottle<String>(linesPerWindow: 1)

    init(device: String, events: EventBus, eventLoop: any EventLoop, logger: Logger) {
        self.device = device
        self.events = events
        self.eventLoop = eventLoop
        self.logger = logger
    }

    // MARK: Connections

    func connected(_ sender: SenderConnection) {
        self.log(
            .info, "Sender connected", sender.address, ["connection": "\(sender.id)", "address": "\(sender.address)"])
        self.events.publish(.senderConnected(device: self.device, connection: sender.id, address: sender.address))
    }

    /// A sender said for the first time what it is.
    func introduced(_ sender: SenderConnection, _ facts: SenderFacts) {
        self.events.publish(
            .senderIntroduced(device: self.device, connection: sender.id, address: sender.address, facts: facts))
    }

    /// - Parameter reason: why this end closed the channel; nil when the sender did.
    func disconnected(_ sender: SenderConnection, reason: TransportError?) {
        let text = reason.map(\.description) ?? "closed by the sender"
        var metadata: Logger.Metadata = ["connection": "\(sender.id)", "reason": "\(text)"]
        if let reason, reason.isFault {
            metadata["fault"] = "\(reason.label)"
            self.log(.notice, "Sender disconnected for a fault", sender.address, metadata)
        } else {
            self.log(.info, "Sender disconnected", sender.address, metadata)
        }
        self.events.publish(
            .senderDisconnected(
                device: self.device, connection: sender.id, reason: text,
                closeReason: sender.closeReason ?? reason.closeReason))
    }

    /// A connection ended that never became a sender's channel.
    func endedBeforeTLS(_ sender: SenderConnection, reason: TransportError?) {
        let text = reason.map(\.description) ?? "closed by the peer"
        var metadata: Logger.Metadata = ["address": "\(sender.address)", "reason": "\(text)"]
        if let reason, reason.isFault { metadata["fault"] = "\(reason.label)" }
        self.log(.info, "Connection ended before TLS stood", sender.address, metadata)
    }

    /// A connection of the address has to wait, since the address sends more than it may.
    func throttled(_ block: AddressBlock) {
        guard let count = self.throttlings.admit(block.description, at: self.eventLoop.now) else { return }
        self.logger.notice(
            "Sender throttled",
            metadata: ["address": "\(block)", "reason": "throttled", "count": .stringConvertible(count + 1)])
        self.events.publish(.senderThrottled(device: self.device, address: block.description, count: count + 1))
    }

    // MARK: Apps

    /// A sender's end opened a virtual connection to an app.
    func joined(_ pair: VirtualConnection, by sender: SenderConnection, session: @autoclosure () -> SessionFacts?) {
        self.logJoin("Join", pair, by: sender, session: session, [:])
    }

    /// A sender's end was refused a virtual connection to an app.
    func joinRefused(
        _ pair: VirtualConnection, by sender: SenderConnection, session: @autoclosure () -> SessionFacts?,
        reason: String
    ) {
        self.logJoin("Join refused", pair, by: sender, session: session, ["reason": "\(reason)"])
    }

    private func logJoin(
        _ text: Logger.Message, _ pair: VirtualConnection, by sender: SenderConnection,
        session: () -> SessionFacts?, _ more: Logger.Metadata
    ) {
        guard pair.local != .platformReceiver, self.logger.logLevel <= .info else { return }
        var metadata = more
        metadata["address"] = "\(sender.address)"
        metadata["connection"] = "\(sender.id)"
        metadata["sender"] = "\(pair.peer)"
        CastCommand.describe(session(), in: &metadata)
        self.log(.info, text, sender.address, metadata)
    }

    /// A sender's address launches apps faster than it may.
    func launchRefused(_ sender: SenderConnection, _ refusal: Rejection) {
        self.log(
            .info, "Launch refused", sender.address,
            ["connection": "\(sender.id)", "address": "\(sender.address)", "reason": "too many launches"])
        self.events.publish(
            .messageRejected(
                device: self.device, handler: "senders", reason: refusal.reason, address: sender.address))
    }

    private func log(_ level: Logger.Level, _ text: Logger.Message, _ address: String, _ metadata: Logger.Metadata) {
        var metadata = metadata
        let now = self.eventLoop.now
        let level =
            metadata["fault"] == nil
            ? self.lines.level(level, for: address, at: now, metadata: &metadata)
            : self.faults.level(level, for: address, at: now, metadata: &metadata)
        self.logger.log(level: level, text, metadata: metadata)
    }
}

extension TransportError? {
    /// The close reason for an end that its sender did not announce; nil stands for a sender that went away.
    fileprivate var closeReason: ConnectionPayload.CloseReason {
        switch self {
        case nil: .transportClosed
        case .malformed, .flood, .slowFrame: .invalidMessage
        case .silentPeer, .slowReader, .handshakeTimedOut, .handshakeEvicted, .gaveWay: .inactive
        case .tls, .failed: .transportAborted
        case .closedLocally: .closedBySelf
        }
    }
}
