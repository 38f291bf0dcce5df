import CastTransport
import CastWire
import GatewayCore
import Logging
import NIOCore
import SystemPrimitives

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
    let connectionIDs: ConnectionIDs
    private var senders: [ConnectionID: SenderConnection] = [:] {
        didSet { self.recentSender = nil }
    }
    /// Who was sent something last: messages come in runs, and comparing costs less than hashing.
    private var recentSender: SenderConnection?
    /// Those who have no socket.
    var doors = DoorSenders()
    /// What one of them may send; those with a socket are counted by their address.
    private(set) var messagesPerSecond: Int?
    private var toFlush: [SenderConnection] = []
    private var isFlushing = false
    private(set) var stopReason: String?
    private var accounts: SenderAccounts
    /// Who pays for what happens in this turn.
    private var payer: SenderAccount?
    private var senderLog = LogThrottle<String>(linesPerWindow: 60)
    /// Apart, so that those who come and go cannot hide what they are closed for.
    private var faultLog = LogThrottle<String>(linesPerWindow: 30)
    private let throttleReport: ThrottleReport
    private var whenDeserted: (() -> Void)?
    /// How the device is announced in the network; nil when nothing is announced here.
    let publication: DevicePublication?
    let router: MessageRouter
    /// Whether each message is logged; asked of the logger in every turn rather than for every message.
    private(set) var isTracing: Bool

    init(
        facts: DeviceFacts, target: any DeviceTarget, signer: ChallengeSigner, registry: HandlerRegistry,
        settings: RouterSettings, payloadText: MessageRouter.PayloadText? = nil, events: EventBus,
        connectionIDs: ConnectionIDs, limits: SenderLimits = SenderLimits(), publication: DevicePublication? = nil,
        eventLoop: any EventLoop, logger: Logger
    ) {
        self.publication = publication
        self.facts = facts
        self.target = target
        self.signer = signer
        self.events = events
        self.connectionIDs = connectionIDs
        self.messagesPerSecond = limits.messagesPerSecond
        self.accounts = SenderAccounts(messagesPerSecond: limits.messagesPerSecond, eventLoop: eventLoop)
        self.eventLoop = eventLoop
        self.logger = logger
        self.isTracing = logger.logLevel == .trace
        self.throttleReport = ThrottleReport(device: facts.name, events: events, logger: logger)
        self.router = MessageRouter(
            registry: registry, settings: settings, eventLoop: eventLoop, logger: logger, payloadText: payloadText)
    }

    func start() {
        self.router.start(output: self)
        self.target.start(output: self)
        self.flush()
    }

    /// Gives deferred messages time to be decided.
    /// - Returns: a future that succeeds when none is left, or when the time is over.
    func drain(for time: TimeAmount) -> EventLoopFuture<Void> {
        let promise = self.eventLoop.makePromise(of: Void.self, within: time) { $0.succeed() }
        self.router.whenIdle { promise.succeed() }
        return promise.futureResult
    }

    /// Lets the senders go. Their channels close behind what was sent to them.
    func stop(_ reason: String) {
        self.stopReason = reason
        self.target.stop()
        self.router.shutdown()
        self.flush()
        for door in self.doors.removeAll() { door.end(reason) }
        for sender in self.senders.values { sender.close(reason) }
    }

    /// Waits until the senders that were let go are gone.
    /// - Returns: a future that succeeds when none is left, or when the time is over.
    func farewell(for time: TimeAmount) -> EventLoopFuture<Void> {
        guard !self.senders.isEmpty else { return self.eventLoop.makeSucceededVoidFuture() }
        let promise = self.eventLoop.makePromise(of: Void.self, within: time) { $0.succeed() }
        self.whenDeserted = { promise.succeed() }
        return promise.futureResult
    }

    var senderCount: Int { self.senders.count }

    /// What the device is busy with.
    var state: VirtualDeviceState {
        let counts = self.router.counts
        return VirtualDeviceState(
            name: self.facts.name, target: self.facts.target, senders: self.senders.count,
            sessions: self.target.sessionCount, heldFlows: self.router.heldFlowCount,
            rejected: counts.rejected.values.reduce(0, +), handlerFailures: counts.failures,
            suspendedHandlers: self.router.suspendedHandlers)
    }

    // MARK: Another configuration

    /// Takes what the router is to do, from the next message on.
    func route(by settings: RouterSettings, payloadText: MessageRouter.PayloadText?) {
        self.router.follow(settings, payloadText: payloadText)
    }

    /// Takes what senders may do, those too that are connected.
    func limit(to limits: SenderLimits) {
        self.accounts.limit(messagesPerSecond: limits.messagesPerSecond)
        guard limits.messagesPerSecond != self.messagesPerSecond else { return }
        self.messagesPerSecond = limits.messagesPerSecond
        let now = self.eventLoop.now
        for door in self.doors.all { door.limit(messagesPerSecond: limits.messagesPerSecond, at: now) }
    }

    /// Takes what the device says of itself now, and what it stands for if that is another than before.
    ///
    /// The senders stay connected. Of their virtual connections those to apps end as when a device is lost, those to the
    /// platform are opened towards the new target.
    func reconfigure(
        _ facts: DeviceFacts, target factory: any DeviceTargetFactory, madeBy old: any DeviceTargetFactory
    ) throws(GatewayError) {
        let before = self.facts
        self.facts = facts
        guard !factory.reconfigure(self.target, madeBy: old, for: facts) else { return self.flush() }
        do {
            self.replaceTarget(by: try factory.makeTarget(for: facts, on: self.eventLoop))
        } catch {
            self.facts = before
            throw error
        }
    }

    func replaceTarget(by new: any DeviceTarget) {
        self.target.giveWay()
        self.target.stop()
        self.flush()
        for sender in self.senders.values { sender.closeApplicationConnections() }
        for door in self.doors.all { door.closeApplicationConnections() }
        self.target = new
        self.publication?.forgetState()
        new.start(output: self)
        for sender in self.senders.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
            for connect in sender.platformConnects { new.connect(connect, from: sender.id) }
        }
        for door in self.doors.all { door.platformConnect.map { new.connect($0, from: door.id) } }
        new.announce()
        self.flush()
    }

    // MARK: Senders

    func makeSender(from address: String = "unknown") -> SenderConnection {
        let account = self.accounts.open(AddressBlock(address)) { [throttleReport, eventLoop] block in
            throttleReport.throttled(block, at: eventLoop.now)
        }
        return SenderConnection(id: self.connectionIDs.next(), device: self, account: account)
    }

    /// Logs what senders can bring about without end; beyond so many lines a minute and address at debug only.
    func logSender(
        _ level: Logger.Level, _ text: Logger.Message, _ address: String, _ metadata: Logger.Metadata
    ) {
        var metadata = metadata
        let now = self.eventLoop.now
        let level =
            metadata["fault"] == nil
            ? self.senderLog.level(level, for: address, at: now, metadata: &metadata)
            : self.faultLog.level(level, for: address, at: now, metadata: &metadata)
        self.logger.log(level: level, text, metadata: metadata)
    }

    func senderConnected(_ sender: SenderConnection) {
        // TLS may come to stand behind the end of the device.
        if let stopReason { return sender.close(stopReason) }
        self.senders[sender.id] = sender
        self.logSender(
            .info, "Sender connected", sender.address,
            ["connection": "\(sender.id)", "address": "\(sender.address)"])
        self.events.publish(
            .senderConnected(device: self.facts.name, connection: sender.id, address: sender.address))
    }

    func senderDisconnected(_ sender: SenderConnection, reason: TransportError?) {
        self.accounts.close(sender.account)
        guard self.senders.removeValue(forKey: sender.id) != nil else {
            let text = reason.map(\.description) ?? "closed by the peer"
            var metadata: Logger.Metadata = ["address": "\(sender.address)", "reason": "\(text)"]
            if let reason, reason.isFault { metadata["fault"] = "\(reason.label)" }
            self.logSender(.info, "Connection ended before TLS stood", sender.address, metadata)
            return
        }
        let text = reason.map(\.description) ?? "closed by the sender"
        var metadata: Logger.Metadata = ["connection": "\(sender.id)", "reason": "\(text)"]
        if let reason, reason.isFault {
            metadata["fault"] = "\(reason.label)"
            self.logSender(.notice, "Sender disconnected for a fault", sender.address, metadata)
        } else {
            self.logSender(.info, "Sender disconnected", sender.address, metadata)
        }
        self.router.connectionClosed(sender.id)
        self.target.connectionLost(sender.id)
        self.events.publish(.senderDisconnected(device: self.facts.name, connection: sender.id, reason: text))
        self.flush()
        if self.senders.isEmpty {
            self.whenDeserted?()
            self.whenDeserted = nil
        }
    }

    func route(_ message: CastMessage, from sender: SenderConnection) {
        if self.payer !== sender.account { self.payer = sender.account }
        if message.family != .receiver, self.forwardsUnseen(message, .toReceiver) {
            return self.target.receive(message, from: sender.id)
        }
        let routed = RoutedMessage(
            message, direction: .toReceiver, device: self.facts, connection: sender.id, senderAddress: sender.address)
        if message.family == .receiver, routed.summary.type == "LAUNCH",
            !sender.account.mayLaunch(at: self.eventLoop.now)
        {
            self.refuseLaunch(routed, from: sender)
        } else {
            self.router.route(routed)
        }
    }

    private func refuseLaunch(_ routed: RoutedMessage, from sender: SenderConnection) {
        let refusal = Rejection(reason: Rejection.overloaded.reason, message: "too many launches")
        self.logSender(
            .info, "Launch refused", sender.address,
            ["connection": "\(sender.id)", "address": "\(sender.address)", "reason": "too many launches"])
        self.events.publish(
            .messageRejected(device: self.facts.name, handler: "senders", reason: refusal.reason))
        if let answer = refusal.answer(to: routed.message, routed.summary) { sender.send(answer) }
    }

    func flushLater(_ sender: SenderConnection) {
        self.toFlush.append(sender)
    }

    /// Lets everything leave that was queued on any of the device's channels: the turn is over.
    func flush() {
        self.payer = nil
        self.isTracing = self.logger.logLevel == .trace
        self.router.turnEnded()
        self.target.flush()
        // A write that fails may come back here; what it adds is flushed by the loop that runs.
        guard !self.isFlushing else { return }
        self.isFlushing = true
        var index = 0
        while index < self.toFlush.count {
            self.toFlush[index].flush()
            index += 1
        }
        self.toFlush.removeAll(keepingCapacity: true)
        self.isFlushing = false
    }

    private func deliver(_ message: CastMessage, to connection: ConnectionID?) {
        if self.isTracing { self.logger.trace("Delivering", metadata: message.logMetadata) }
        if message.isBroadcast {
            var count = 0
            for sender in self.senders.values where sender.virtualConnections.hasPeers(of: message.source) {
                sender.send(message)
                count += 1
            }
            // Whoever makes a device speak to many pays for each.
            self.payer?.budget.charge(Double(count), at: self.eventLoop.now)
            if !self.doors.isEmpty { self.doors.hear(message, device: self.facts.name, session: self.speaker(message)) }
        } else if let connection, let sender = self.sender(connection) {
            sender.send(message)
        } else if let connection, let door = self.doors[connection] {
            door.receive(message, device: self.facts.name, session: self.speaker(message))
        }
    }

    private func speaker(_ message: CastMessage) -> SessionFacts? { self.target.session(at: message.source) }

    private func sender(_ connection: ConnectionID) -> SenderConnection? {
        if let recentSender, recentSender.id == connection { return recentSender }
        guard let sender = self.senders[connection] else { return nil }
        self.recentSender = sender
        return sender
    }

    private func routeToSenders(_ message: CastMessage, connection: ConnectionID?) {
        if self.forwardsUnseen(message, .toSender) { return self.deliver(message, to: connection) }
        let origin = self.doors.isEmpty ? nil : connection.flatMap { self.doors[$0]?.origin(of: message) }
        self.router.route(
            RoutedMessage(
                message, direction: .toSender, device: self.facts, connection: connection, origin: origin))
    }

    /// Whether a message goes on as it is: no handler claims it and nobody listens to what passes.
    private func forwardsUnseen(_ message: CastMessage, _ direction: MessageDirection) -> Bool {
        !self.events.hasMessageSubscribers && self.router.forwardsUnseen(message.names, direction: direction)
    }
}

// What the router decides.
extension VirtualDevice: RouterOutput {
    func forward(_ routed: RoutedMessage) {
        if routed.message.family == .custom, self.events.hasMessageSubscribers {
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

    func session(at transport: EndpointID) -> SessionFacts? {
        self.target.session(at: transport)
    }

    var running: RunningApps { self.target.running }

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
        if message.family == .receiver { self.publication?.learn(message) }
        if self.events.hasMessageSubscribers { StatusEvents.publish(message, device: self.facts.name, to: self.events) }
        self.routeToSenders(message, connection: nil)
    }

    func close(_ connection: ConnectionID, reason: String) {
        self.senders[connection]?.close(reason)
    }

    func closeVirtualConnections(of transport: EndpointID) {
        for sender in self.senders.values { sender.closeVirtualConnections(of: transport) }
        for door in self.doors.all { door.closed(transport) }
    }

    func closeVirtualConnection(_ connection: VirtualConnection, on channel: ConnectionID, message: CastMessage) {
        self.senders[channel]?.closeVirtualConnection(connection, message: message)
        self.doors[channel]?.closed(connection.local)
    }
}
