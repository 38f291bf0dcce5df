import CastIdentity
import CastTransport
import CastWire
import GatewayCore
import Logging
import NIOCore
import SystemPrimitives

/// One virtual device: its senders on one side, its target on the other, the router between them.
///
/// How a message passes it:
/// 1. A sender's channel (``SenderConnection``) hands a message to ``route(_:from:)``; the target hands what it says to
///    ``send(_:to:)`` or ``broadcast(_:)``.
/// 2. When a handler or a subscriber of events may want to see the message, it goes to the router as a ``RoutedMessage``.
///    Most messages do not; they skip the router, unwrapped.
/// 3. The router, or step 2, hands it to ``MessageDelivery``, which gives it to the target or to the senders.
///
/// Lives on one event loop together with its senders' channels and its target, so a message never changes threads, and what
/// one read caused leaves together when ``flush()`` ends the turn.
final class VirtualDevice {
    /// A weak reference by which timers find the device.
    ///
    /// They hold the handle, and the device lets go of it when it stops. A weak reference to the device itself would put its
    /// counts into a side table, and every retain on the path of a message would pay for the detour.
    final class Handle {
        fileprivate(set) var device: VirtualDevice?
    }

    let eventLoop: any EventLoop
    let logger: Logger
    let router: MessageRouter
    let delivery: MessageDelivery
    let senders: SenderGroup
    let internalSenders: InternalSenderGroup
    let senderLog: SenderLog
    let channels: SenderChannels
    /// Proves to senders that this is a Cast device; nil for one that senders cannot connect to.
    private(set) var signer: ChallengeSigner?
    /// The announcement in the network; nil when nothing is announced here.
    let publication: DevicePublication?
    let handle = Handle()
    private let events: EventBus
    private let connectionIDs: ConnectionIDs
    /// The reason an address may not be connected; nil when it may.
    private let obstacle: (_ address: String) -> String?
    private var accounts: SenderAccounts
    private(set) var stopReason: String?
    /// The device's last volume and screen.
    private var condition: ReceiverCondition?

    init(
        facts: DeviceFacts, target: any DeviceTarget, signer: ChallengeSigner?, registry: HandlerRegistry,
        settings: RouterSettings, payloadText: MessageRouter.PayloadText? = nil, events: EventBus,
        connectionIDs: ConnectionIDs, limits: SenderLimits = SenderLimits(),
        rights: any SenderRights = NoSenderRights(), obstacle: @escaping (_ address: String) -> String? = { _ in nil },
        publication: DevicePublication? = nil, eventLoop: any EventLoop, logger: Logger
    ) {
        self.obstacle = obstacle
        self.eventLoop = eventLoop
        self.logger = logger
        self.signer = signer
        self.publication = publication
        self.events = events
        self.connectionIDs = connectionIDs
        self.accounts = SenderAccounts(messagesPerSecond: limits.messagesPerSecond, eventLoop: eventLoop)
        self.senderLog = SenderLog(device: facts.name, events: events, eventLoop: eventLoop, logger: logger)
        self.channels = SenderChannels(device: facts.name, book: events.channels, rights: rights, eventLoop: eventLoop)
        self.router = MessageRouter(
            device: facts.name, registry: registry, settings: settings, eventLoop: eventLoop, events: events,
            logger: logger, payloadText: payloadText)
        self.internalSenders = InternalSenderGroup(
            messagesPerSecond: limits.messagesPerSecond, connectionIDs: connectionIDs)
        self.delivery = MessageDelivery(
            facts: facts, target: target, router: self.router, internalSenders: self.internalSenders, events: events,
            logger: logger)
        self.senders = self.delivery.senders
        self.channels.delivery = self.delivery
    }

    var facts: DeviceFacts { self.delivery.facts }
    var target: any DeviceTarget { self.delivery.target }

    // MARK: Life

    func start() {
        self.handle.device = self
        self.condition = self.target.condition
        self.router.start(output: self.delivery)
        self.target.start(output: self)
        self.targetChanged()
        self.flush()
    }

    /// Proves from now on with these certificates who the device is.
    func follow(_ identity: DeviceIdentity) {
        if self.signer != nil { self.signer = ChallengeSigner(identity: identity, eventLoop: self.eventLoop) }
    }

    /// Gives deferred messages time to be decided.
    /// - Returns: a future that succeeds when none is left, or when the time is over.
    func drain(for time: TimeAmount) -> EventLoopFuture<Void> {
        self.wait(atMost: time) { self.router.whenIdle($0) }
    }

    /// Disconnects the senders. Their channels close behind what was sent to them.
    func stop(_ reason: String) {
        self.stopReason = reason
        self.target.stop()
        self.router.shutdown()
        self.flush()
        self.internalSenders.removeAll(reason)
        for sender in self.senders.all { sender.close(reason) }
        self.handle.device = nil
        self.channels.delivery = nil
    }

    /// Waits until the senders that were disconnected are gone.
    /// - Returns: a future that succeeds when none is left, or when the time is over.
    func waitForSenders(atMost time: TimeAmount) -> EventLoopFuture<Void> {
        self.wait(atMost: time) { done in
            if self.senders.isEmpty { done() } else { self.senders.whenEmpty(done) }
        }
    }

    /// A future that succeeds at the call that `begin` is given, or when the time is over.
    private func wait(atMost time: TimeAmount, begin: (_ done: @escaping () -> Void) -> Void) -> EventLoopFuture<Void> {
        let promise = self.eventLoop.makePromise(of: Void.self, within: time) { $0.succeed() }
        begin { promise.succeed() }
        return promise.futureResult
    }

    var state: VirtualDeviceState {
        let counts = self.router.counts
        return VirtualDeviceState(
            name: self.facts.name, target: self.facts.target, senders: self.senders.count,
            sessions: self.target.sessionCount, heldFlows: self.router.heldFlowCount,
            rejected: counts.rejected.values.reduce(0, +), handlerFailures: counts.failures,
            suspendedHandlers: self.router.suspendedHandlers)
    }

    /// The device and the apps on it, for ``InternalSenders/snapshot()``.
    var snapshot: (device: GatewaySnapshot.Device, sessions: [GatewaySnapshot.Session]) {
        let (facts, target) = (self.facts, self.target)
        let friendlyName = (facts.description as? VirtualDeviceDescription)?.configuration.friendlyName
        return (
            GatewaySnapshot.Device(
                name: facts.name, friendlyName: friendlyName ?? facts.name, target: facts.target,
                senders: self.senders.count,
                connected: self.senders.all.prefix(GatewaySnapshot.Device.maximumSenders).map { sender in
                    GatewaySnapshot.Sender(
                        connection: sender.id, address: sender.address, facts: sender.facts,
                        sessions: target.sessions.filter { sender.virtualConnections.hasPeers(of: $0.transportID) }
                            .map(\.sessionID))
                }),
            target.sessions.map {
                GatewaySnapshot.Session(device: facts.name, app: $0, media: target.media(at: $0.transportID))
            }
        )
    }

    // MARK: Another configuration

    /// Takes what the router is to do, from the next message on.
    func route(by settings: RouterSettings, payloadText: MessageRouter.PayloadText?) {
        self.router.follow(settings, payloadText: payloadText)
    }

    /// Takes what senders may do, those too that are connected.
    func limit(to limits: SenderLimits) {
        self.accounts.limit(messagesPerSecond: limits.messagesPerSecond)
        self.internalSenders.limit(messagesPerSecond: limits.messagesPerSecond, at: self.eventLoop.now)
    }

    /// Ends the connections of senders that may not be connected any more.
    func closeSendersWithoutRight() {
        for sender in self.senders.all {
            if let reason = self.obstacle(sender.address) { sender.close(reason) }
        }
    }

    /// Takes what the device says of itself now, and another target if the configuration names another one.
    ///
    /// The senders stay connected. Of their virtual connections those to apps end as when a device is lost, those to the
    /// platform are opened towards the new target.
    /// - Throws: ``GatewayError`` with `unavailable` when the device has stopped, or when there is no such target; the device
    ///   stays as it was.
    func reconfigure(
        _ facts: DeviceFacts, target factory: any DeviceTargetFactory, madeBy old: any DeviceTargetFactory
    ) throws(GatewayError) {
        // A target that starts now would not be stopped any more.
        guard self.stopReason == nil else { throw GatewayError(.unavailable, "the virtual device stops") }
        let before = self.facts
        self.delivery.facts = facts
        guard !factory.reconfigure(self.target, madeBy: old, for: facts) else { return self.flush() }
        do {
            self.replaceTarget(by: try factory.makeTarget(for: facts, on: self.eventLoop))
        } catch {
            self.delivery.facts = before
            throw error
        }
    }

    func replaceTarget(by new: any DeviceTarget) {
        self.target.prepareForReplacement()
        self.target.stop()
        self.flush()
        for sender in self.senders.all { sender.closeApplicationConnections() }
        self.internalSenders.closeApplicationConnections()
        self.delivery.target = new
        self.condition = new.condition
        self.publication?.forgetState()
        new.start(output: self)
        self.targetChanged()
        for sender in self.senders.all {
            for connect in sender.platformConnects { new.connect(connect, from: sender.id) }
        }
        for (id, connect) in self.internalSenders.platformConnects { new.connect(connect, from: id) }
        new.announce()
        self.flush()
    }

    // MARK: Senders

    /// - Parameter admission: the connection as it is counted over all devices; nil for one that is not.
    func makeSender(from address: String = "unknown", admission: ConnectionAdmission? = nil) -> SenderConnection {
        let account = self.accounts.open(AddressBlock(address)) { [senderLog] in senderLog.throttled($0) }
        return SenderConnection(
            id: self.connectionIDs.next(), device: self, account: account, admission: admission)
    }

    func senderConnected(_ sender: SenderConnection) {
        // The TLS handshake may be done after the device has stopped, or after its guest has checked out.
        if let reason = self.stopReason ?? self.obstacle(sender.address) { return sender.close(reason) }
        self.senders.insert(sender)
        self.senderLog.connected(sender)
    }

    func senderDisconnected(_ sender: SenderConnection, reason: TransportError?) {
        self.accounts.close(sender.account)
        self.channels.lost(sender, reason: reason)
        guard self.senders.remove(sender) else { return self.senderLog.endedBeforeTLS(sender, reason: reason) }
        self.senderLog.disconnected(sender, reason: reason)
        self.router.connectionClosed(sender.id)
        self.target.connectionLost(sender.id)
        self.flush()
        self.senders.checkIfEmpty()
    }

    // MARK: Messages

    /// Takes a message of a sender, on a virtual connection that is open.
    func route(_ message: CastMessage, from sender: SenderConnection) {
        if message.family != .receiver, self.router.forwardsUnseen(message, direction: .toReceiver) {
            return self.delivery.target.receive(message, from: sender.id)
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
        self.senderLog.launchRefused(sender, refusal)
        if let answer = refusal.answer(to: routed.message, routed.summary) { sender.send(answer) }
    }

    private func route(_ message: CastMessage, to connection: ConnectionID?) {
        if self.router.forwardsUnseen(message, direction: .toSender) {
            return self.delivery.sendToSenders(message, connection: connection)
        }
        let origin = connection.flatMap { self.internalSenders.origin(of: message, to: $0) }
        self.router.route(
            RoutedMessage(
                message, direction: .toSender, device: self.facts, connection: connection, origin: origin))
    }

    /// Ends a turn that the read of a sender's channel began. A sender that makes a device broadcast pays for each copy.
    func flush(charging account: SenderAccount) {
        let copies = self.senders.takeCopies()
        if copies > 0 { account.budget.charge(Double(copies), at: self.eventLoop.now) }
        self.flush()
    }
}

// What the target sends.
extension VirtualDevice: SenderOutput {
    func send(_ message: CastMessage, to connection: ConnectionID) {
        if !self.internalSenders.isEmpty, let trace = self.internalSenders.trace(of: message, to: connection) {
            // The status that answers a command comes of it; the same status to all is no news then.
            CommandTrace.following(trace) { self.events.recordStatus(message, of: self.facts) }
        }
        self.route(message, to: connection)
    }

    func broadcast(_ message: CastMessage) {
        if message.family == .receiver {
            self.publication?.learn(message)
            self.channels.statusChanged(among: self.senders)
        }
        let trace = self.internalSenders.isEmpty ? nil : self.internalSenders.trace(of: message, to: nil)
        CommandTrace.following(trace) {
            self.events.publishStatus(message, of: self.facts)
            if message.family == .receiver { self.publishChanges(by: message) }
        }
        self.route(message, to: nil)
    }

    /// Publishes what a status changes at the device itself.
    private func publishChanges(by message: CastMessage) {
        guard self.events.hasSubscribers, let status = ReceiverStatusPayload(message.payload)?.status else { return }
        let new = ReceiverCondition(status)
        for change in self.condition?.changes(to: new) ?? [] {
            self.events.publish(.receiverChanged(device: self.facts.name, change))
        }
        self.condition = new
    }

    func close(_ connection: ConnectionID, reason: String) {
        self.senders[connection]?.close(reason)
    }

    func closeVirtualConnections(of transport: EndpointID) {
        self.senders.closeVirtualConnections(of: transport)
        self.internalSenders.closeVirtualConnections(of: transport)
    }

    func closeVirtualConnection(_ connection: VirtualConnection, on channel: ConnectionID, message: CastMessage) {
        self.senders[channel]?.closeVirtualConnection(connection, message: message)
        self.internalSenders.closeVirtualConnection(connection, of: channel)
    }

    func endpoints(of connection: ConnectionID) -> (local: SocketAddress, remote: SocketAddress)? {
        self.senders[connection]?.endpoints
    }

    func emit(_ event: GatewayEvent) {
        self.events.publish(event)
    }

    func targetChanged() {
        self.publication?.follow(isTargetThere: self.target.isThere)
    }

    /// Lets everything leave that was queued on any of the device's channels: the turn is over.
    func flush() {
        self.router.turnEnded()
        self.delivery.flush()
    }
}
