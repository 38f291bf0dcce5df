import CastTransport
import CastWire
import GatewayCore
import Logging
import NIOCore

/// One virtual device: its senders on one side, what it stands for on the other, the router between them.
///
/// Lives on one event loop together with its senders' channels and its target, so a message never changes threads.
final class VirtualDevice {
    private(set) var facts: DeviceFacts
    private(set) var target: any DeviceTarget
    let signer: ChallengeSigner
    let eventLoop: any EventLoop
    let logger: Logger
    private let events: EventBus
    private let connectionIDs: ConnectionIDs
    private var senders: [ConnectionID: SenderConnection] = [:]
    private var toFlush: [SenderConnection] = []
    private var stopReason: String?
    private lazy var router = MessageRouter(
        registry: self.registry, settings: self.settings, eventLoop: self.eventLoop, output: self, logger: self.logger,
        payloadText: self.payloadText)
    private let registry: HandlerRegistry
    private let settings: RouterSettings
    private let payloadText: MessageRouter.PayloadText?

    init(
        facts: DeviceFacts, target: any DeviceTarget, signer: ChallengeSigner, registry: HandlerRegistry,
        settings: RouterSettings, payloadText: MessageRouter.PayloadText? = nil, events: EventBus,
        connectionIDs: ConnectionIDs, eventLoop: any EventLoop, logger: Logger
    ) {
        self.facts = facts
        self.target = target
        self.signer = signer
        self.registry = registry
        self.settings = settings
        self.payloadText = payloadText
        self.events = events
        self.connectionIDs = connectionIDs
        self.eventLoop = eventLoop
        self.logger = logger
    }

    func start() {
        self.target.start(output: self)
        self.flush()
    }

    /// Gives deferred messages time to be decided.
    /// - Returns: a future that succeeds when none is left, or when the time is over.
    func drain(for time: TimeAmount) -> EventLoopFuture<Void> {
        let promise = self.eventLoop.makePromise(of: Void.self)
        let timeout = self.eventLoop.scheduleTask(in: time) { promise.succeed() }
        self.router.whenIdle {
            timeout.cancel()
            promise.succeed()
        }
        return promise.futureResult
    }

    /// Lets the senders go. Their channels close behind what was sent to them.
    func stop(_ reason: String) {
        self.stopReason = reason
        self.target.stop()
        self.router.shutdown()
        self.flush()
        for sender in self.senders.values { sender.close(reason) }
    }

    var senderCount: Int { self.senders.count }

    // MARK: Another configuration

    /// Takes what the router is to do, from the next message on.
    func route(by settings: RouterSettings, payloadText: MessageRouter.PayloadText?) {
        self.router.settings = settings
        self.router.payloadText = payloadText
    }

    /// Takes what the device says of itself now, and what it stands for if that is another than before.
    ///
    /// The senders stay connected. Of their virtual connections those to apps end as when a device is lost, those to the
    /// platform are opened towards the new target.
    func become(_ facts: DeviceFacts, target new: (any DeviceTarget)? = nil) {
        self.facts = facts
        guard let new else { return }
        self.target.giveWay()
        self.target.stop()
        self.flush()
        for sender in self.senders.values { sender.closeApplicationConnections() }
        self.target = new
        new.start(output: self)
        for sender in self.senders.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
            for connect in sender.platformConnects { new.connect(connect, from: sender.id) }
        }
        new.announce()
        self.flush()
    }

    /// Tells the senders the target's status, because they may see it with other eyes now.
    func announce() {
        self.target.announce()
        self.flush()
    }

    // MARK: Senders

    func makeSender() -> SenderConnection {
        SenderConnection(id: self.connectionIDs.next(), device: self)
    }

    func senderConnected(_ sender: SenderConnection) {
        // TLS may come to stand behind the end of the device.
        if let stopReason { return sender.close(stopReason) }
        self.senders[sender.id] = sender
        self.logger.info(
            "Sender connected", metadata: ["connection": "\(sender.id)", "address": "\(sender.address)"])
        self.events.publish(
            .senderConnected(device: self.facts.name, connection: sender.id, address: sender.address))
    }

    func senderDisconnected(_ sender: SenderConnection, reason: TransportError?) {
        guard self.senders.removeValue(forKey: sender.id) != nil else {
            let text = reason.map(\.description) ?? "closed by the peer"
            self.logger.debug("Connection ended before TLS stood", metadata: ["reason": "\(text)"])
            return
        }
        let text = reason.map(\.description) ?? "closed by the sender"
        var metadata: Logger.Metadata = ["connection": "\(sender.id)", "reason": "\(text)"]
        if let reason, reason.isFault {
            metadata["fault"] = "\(reason.label)"
            self.logger.notice("Sender disconnected for a fault", metadata: metadata)
        } else {
            self.logger.info("Sender disconnected", metadata: metadata)
        }
        self.router.connectionClosed(sender.id)
        self.target.connectionLost(sender.id)
        self.events.publish(.senderDisconnected(device: self.facts.name, connection: sender.id, reason: text))
        self.flush()
    }

    func route(_ message: CastMessage, from sender: SenderConnection) {
        self.router.route(
            RoutedMessage(
                message, direction: .toReceiver, device: self.facts, connection: sender.id,
                senderAddress: sender.address, session: self.target.session(at: message.destination)))
    }

    func flushLater(_ sender: SenderConnection) {
        self.toFlush.append(sender)
    }

    /// Lets everything leave that was queued on any of the device's channels.
    func flush() {
        self.target.flush()
        while !self.toFlush.isEmpty {
            let senders = self.toFlush
            self.toFlush.removeAll(keepingCapacity: true)
            for sender in senders { sender.flush() }
        }
    }

    private func deliver(_ message: CastMessage, to connection: ConnectionID?) {
        self.logger.trace("Delivering", metadata: message.logMetadata)
        if message.destination == .broadcast {
            for sender in self.senders.values where sender.virtualConnections.hasPeers(of: message.source) {
                sender.send(message)
            }
        } else if let connection {
            self.senders[connection]?.send(message)
        }
    }

    private func routeToSenders(_ message: CastMessage, connection: ConnectionID?) {
        self.router.route(
            RoutedMessage(
                message, direction: .toSender, device: self.facts, connection: connection,
                session: self.target.session(at: message.source)))
    }
}

// What the router decides.
extension VirtualDevice: RouterOutput {
    func forward(_ routed: RoutedMessage) {
        if routed.message.namespace.isCustom, self.events.hasSubscribers {
            self.events.publish(
                .channelMessage(device: self.facts.name, message: routed.message, direction: routed.direction))
        }
        switch routed.direction {
        case .toReceiver:
            guard let connection = routed.connection else { return }
            self.target.receive(routed.message, from: connection)
        case .toSender: self.deliver(routed.message, to: routed.connection)
        }
    }

    func sendToSenders(_ message: CastMessage, connection: ConnectionID?) {
        self.deliver(message, to: connection)
    }

    func sendToReceiver(_ message: CastMessage, connection: ConnectionID?) {
        guard let connection else { return }
        self.target.receive(message, from: connection)
    }

    func emit(_ event: GatewayEvent) {
        self.events.publish(event)
    }
}

// What the target says.
extension VirtualDevice: SenderOutput {
    func send(_ message: CastMessage, to connection: ConnectionID) {
        self.routeToSenders(message, connection: connection)
    }

    func broadcast(_ message: CastMessage) {
        if self.events.hasSubscribers { StatusEvents.publish(message, device: self.facts.name, to: self.events) }
        self.routeToSenders(message, connection: nil)
    }

    func closeVirtualConnections(of transport: EndpointID) {
        for sender in self.senders.values { sender.closeVirtualConnections(of: transport) }
    }

    func closeVirtualConnection(_ connection: VirtualConnection, on channel: ConnectionID, message: CastMessage) {
        self.senders[channel]?.closeVirtualConnection(connection, message: message)
    }
}
