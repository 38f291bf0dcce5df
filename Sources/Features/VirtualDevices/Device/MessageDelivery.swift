import CastWire
import GatewayCore
import Logging

/// The exits of a virtual device for messages: the target on one side, the senders on the other.
///
/// What the router decides comes here, and what needs no decision comes here without it, so a message passes the virtual
/// device, the router and this object at most once each. Lives on the device's event loop.
final class MessageDelivery: RouterOutput {
    var facts: DeviceFacts
    var target: any DeviceTarget
    let senders = SenderGroup()
    let internalSenders: InternalSenderGroup
    private let router: MessageRouter
    private let events: EventBus
    private let logger: Logger

    init(
        facts: DeviceFacts, target: any DeviceTarget, router: MessageRouter, internalSenders: InternalSenderGroup,
        events: EventBus, logger: Logger
    ) {
        self.facts = facts
        self.target = target
        self.router = router
        self.internalSenders = internalSenders
        self.events = events
        self.logger = logger
    }

    func forward(_ routed: RoutedMessage) {
        switch routed.direction {
        case .toReceiver: self.sendToReceiver(routed.message, connection: routed.connection)
        case .toSender: self.sendToSenders(routed.message, connection: routed.connection)
        }
    }

    func sendToReceiver(_ message: CastMessage, connection: ConnectionID?) {
        guard let connection else { return }
        self.target.receive(message, from: connection)
    }

    func sendToSenders(_ message: CastMessage, connection: ConnectionID?) {
        if self.router.isTracing { self.logger.trace("Delivering", metadata: message.logMetadata) }
        if message.isBroadcast {
            self.senders.broadcast(message)
        } else if let connection {
            self.senders.send(message, to: connection)
        }
        if !self.internalSenders.isEmpty {
            self.internalSenders.receive(
                message, connection: connection, device: self.facts.name,
                session: self.target.session(at: message.source))
        }
    }

    func session(at transport: EndpointID) -> SessionFacts? { self.target.session(at: transport) }

    var running: RunningApps { self.target.running }

    func connect(of message: CastMessage, on connection: ConnectionID) -> CastMessage? {
        self.senders[connection]?.virtualConnections.connect(of: message.source, to: message.destination)
    }

    func emit(_ event: GatewayEvent) {
        self.events.publish(event)
    }

    /// Lets everything leave that was queued on any of the device's channels.
    func flush() {
        self.target.flush()
        self.senders.flush()
    }
}
