import CastTransport
import CastWire
import GatewayCore
import Logging
import NIOCore

/// The one channel to a real device, and what is known of the device.
///
/// Lives on one event loop together with the virtual devices that relay to it. All senders share the channel; each
/// has an id of its own there (``SenderIDs``), and Castway itself is `sender-0`.
final class DeviceSession {
    /// What became of a request.
    enum Outcome {
        case sent
        /// The device cannot be asked; this is said in its place.
        case answered(CastMessage)
        case ignored

        /// Says this in the device's place, if its sender waits for an answer.
        init(_ answer: CastMessage?) {
            self = answer.map(Outcome.answered) ?? .ignored
        }
    }

    let name: String
    private(set) var address: DeviceAddress
    let eventLoop: any EventLoop
    let logger: Logger
    private var dialer: any DeviceDialer
    private let online: OnlineDevices
    let events: EventBus
    private var link: LinkStateMachine
    private var timer: Scheduled<Void>?
    private(set) var channel: CastConnection?
    private var attempt: DialAttempt?
    /// Has the device prove itself on each channel; nil where it need not.
    var authenticator: DeviceAuthenticator?
    /// Set when the device is in the configuration no more: its last relay takes the channel with it.
    private var isRetired = false
    private var needsFlush = false
    private var isReportedLost = false
    private var isReportedSlow = false

    private(set) var relays: [ObjectIdentifier: DeviceRelay] = [:] {
        didSet { self.recent = nil }
    }
    private(set) var senderIDs = SenderIDs() {
        didSet { self.recent = nil }
    }
    /// The way of the device's last message to a sender, and the relay that it leads through.
    private var recent: (way: RelayWay, relay: DeviceRelay)?
    /// Whether each message is logged; asked of the logger in every turn rather than for every message.
    private var isTracing: Bool
    var pending = PendingRequests()
    private var platform = PlatformConnection()
    var status: ReceiverStatus? {
        didSet { self.sessions = self.status?.applications.compactMap(\.facts) ?? [] }
    }
    /// What runs on the device, read once per status since every message asks for it.
    private(set) var sessions: [SessionFacts] = []

    init(
        name: String, address: DeviceAddress, dialer: any DeviceDialer, backoff: Backoff, online: OnlineDevices,
        events: EventBus, eventLoop: any EventLoop, logger: Logger
    ) {
        self.name = name
        self.address = address
        self.dialer = dialer
        self.online = online
        self.events = events
        self.eventLoop = eventLoop
        self.logger = logger
        self.link = LinkStateMachine(backoff: backoff)
        self.isTracing = logger.logLevel == .trace
    }

    var isOnline: Bool { self.link.isOnline }
    var isConnected: Bool { self.link.isConnected }

    // MARK: Life

    func start() {
        self.obey(self.link.start())
    }

    /// Hangs up; what plays goes on, unless the apps are to be stopped.
    func stop(stoppingApps: Bool) {
        self.timer?.cancel()
        if stoppingApps, self.isOnline {
            for session in self.sessions { self.write(self.platform.stop(sessionID: session.sessionID)) }
        }
        self.online.set(self, isOnline: false)
        self.obey(self.link.stop())
    }

    func attach(_ relay: DeviceRelay) {
        self.relays[ObjectIdentifier(relay)] = relay
    }

    func detach(_ relay: DeviceRelay) {
        self.relays[ObjectIdentifier(relay)] = nil
        if self.isRetired, self.relays.isEmpty { self.stop(stoppingApps: false) }
    }

    /// Hangs up as soon as no relay needs the device.
    func retire() {
        self.isRetired = true
        if self.relays.isEmpty { self.stop(stoppingApps: false) }
    }

    /// Takes what the next dial and the pauses before it follow.
    func configure(dialer: any DeviceDialer, backoff: Backoff) {
        self.dialer = dialer
        self.link.pace(backoff)
    }

    /// Hangs up and dials the device elsewhere, at once; its senders see it go and come.
    func move(to address: DeviceAddress) {
        self.address = address
        guard !self.link.isStopped else { return }
        let reason = "its address is \(address) now"
        let wasOnline = self.isOnline
        self.timer?.cancel()
        self.attempt?.abandon(reason)
        self.channel = nil
        self.authenticator?.end()
        self.online.set(self, isOnline: false)
        self.needsFlush = false
        if wasOnline { self.reportLoss("Device moved", reason) }
        self.isReportedLost = false
        let action = self.link.redial()
        if wasOnline { self.tellSendersOfLoss() }
        self.obey(action)
    }

    private func obey(_ action: LinkStateMachine.Action) {
        switch action {
        case .none: break
        case .dial: self.dial()
        case .close(let reason): self.channel?.close(reason)
        case .wait(let until):
            self.timer?.cancel()
            let session = NIOLoopBound(self, eventLoop: self.eventLoop)
            self.timer = self.eventLoop.scheduleTask(deadline: until) {
                session.value.obey(session.value.link.timerFired(at: session.value.eventLoop.now))
            }
        }
    }

    private func dial() {
        let attempt = DialAttempt(session: self)
        self.attempt = attempt
        let bound = NIOLoopBound(attempt, eventLoop: self.eventLoop)
        self.dialer.dial(host: self.address.host, port: self.address.port, on: self.eventLoop, delegate: attempt)
            .whenComplete { result in
                switch result {
                case .success(let connection): bound.value.connected(connection)
                case .failure(let error): bound.value.failed(TransportError.text(of: error))
                }
            }
    }

    func dialFailed(_ reason: String) {
        guard !self.link.isStopped else { return }
        self.reportLoss("Device not reached", reason)
        self.obey(self.link.lost(at: self.eventLoop.now))
    }

    /// Once is enough for the log; the pauses grow, but a device may stay away for days.
    private func reportLoss(_ text: Logger.Message, _ reason: String) {
        self.logger.log(
            level: self.isReportedLost ? .debug : .notice, text,
            metadata: ["address": "\(self.address)", "reason": "\(reason)"])
        if !self.isReportedLost { self.events.publish(.deviceOffline(target: self.name, reason: reason)) }
        self.isReportedLost = true
    }

    // MARK: To the device

    /// Opens a virtual connection for a sender.
    func sendConnect(_ message: CastMessage, for north: SenderIDs.North) {
        self.send(message.withoutVersionOffer, for: north)
    }

    /// Sends something in the name of a sender; lost when the device is out of reach.
    /// - Returns: false when it is too large for the device's channel.
    @discardableResult
    func send(_ message: CastMessage, for north: SenderIDs.North) -> Bool {
        guard self.link.isConnected, !self.isAuthenticating else { return true }
        var message = message
        message.source = self.senderIDs.south(of: north)
        return self.write(message)
    }

    /// Sends a sender's message, or says what to answer in the device's place.
    func request(_ message: CastMessage, along way: RelayWay) -> Outcome {
        if self.isTracing { self.logger.trace("Relaying", metadata: message.logMetadata) }
        let isPlatform = message.isToPlatform
        guard self.isOnline, let channel else {
            guard isPlatform else { return .ignored }
            return Outcome(OfflineAnswers(lastKnown: self.status).answer(to: message, message.summary))
        }
        guard channel.isWritable, !isPlatform || self.pending.hasRoom else {
            self.logger.log(
                level: self.isReportedSlow ? .debug : .notice, "The device does not keep up; a message was refused")
            self.isReportedSlow = true
            return Outcome(Rejection.overloaded.answer(to: message, message.summary))
        }
        self.isReportedSlow = false
        self.needsFlush = true
        guard channel.send(message, as: way.renamed ?? self.rename(way)) else {
            let tooLarge = Rejection(reason: "INVALID_REQUEST", message: "the message is too large to be relayed")
            return Outcome(tooLarge.answer(to: message, message.summary))
        }
        if isPlatform { self.pending.sent(message, message.summary, from: way.north) }
        return .sent
    }

    private func rename(_ way: RelayWay) -> MessageNames {
        let names = MessageNames(
            source: self.senderIDs.south(of: way.north), destination: way.names.destination,
            namespace: way.names.namespace)
        way.renamed = names
        return names
    }

    /// Forgets a sender's end that has no virtual connection any more.
    func forget(_ north: SenderIDs.North) {
        self.senderIDs.remove(north)
        self.pending.forget(north)
    }

    /// Forgets a sender's channel.
    func forget(_ connection: ConnectionID, of relay: DeviceRelay) {
        self.senderIDs.removeAll(relay: ObjectIdentifier(relay), connection: connection)
        self.pending.forget(connection, of: ObjectIdentifier(relay))
    }

    func flush() {
        guard self.needsFlush else { return }
        self.needsFlush = false
        self.channel?.flush()
    }

    @discardableResult
    private func write(_ message: CastMessage) -> Bool {
        self.needsFlush = true
        return self.channel?.send(message) ?? true
    }

    // MARK: From the device

    func facts(at transport: EndpointID) -> SessionFacts? {
        self.sessions.first { $0.transportID == transport }
    }

    /// How many apps run on the device, the idle screen aside.
    var sessionCount: Int { self.status?.applications.count { !$0.isIdleScreen } ?? 0 }

    func channelReady(_ channel: CastConnection) {
        self.channel = channel
        self.obey(self.link.connected(at: self.eventLoop.now))
        // Stopped during the dial.
        guard self.link.isConnected else { return }
        self.authenticate(channel) { $0.openPlatform() }
    }

    private func openPlatform() {
        self.platform = PlatformConnection()
        for message in self.platform.open() { self.write(message) }
        for relay in self.relays.values {
            for (north, connect) in relay.platformConnections { self.sendConnect(connect, for: north) }
        }
        self.flush()
    }

    func channelReceived(_ message: CastMessage) {
        if self.isTracing { self.logger.trace("From the device", metadata: message.logMetadata) }
        if let authenticator, authenticator.takes(message) { return }
        if message.family == .connection {
            self.receiveConnectionMessage(message)
        } else if message.isBroadcast {
            if message.source == .platformReceiver { self.pending.answeredToAll(message) }
            // What brings the device online is told to the senders by that already.
            guard !self.learn(from: message) else { return }
            for relay in self.relays.values { relay.output?.broadcast(message) }
        } else if message.destination == .platformSender {
            self.learn(from: message)
        } else if let (way, relay) = self.way(to: message.names) {
            self.learn(from: message)
            var answer = message
            answer.names = way.renamed ?? message.names
            if message.source == .platformReceiver { self.pending.answered(answer, to: way.north) }
            relay.output?.send(answer, to: way.north.connection)
        }
    }

    /// The way of the device's messages to a sender's end; nil when there is none of this name.
    private func way(to names: MessageNames) -> (RelayWay, DeviceRelay)? {
        if let recent, recent.way.names === names { return recent }
        guard let north = self.senderIDs.north(of: names.destination), let relay = self.relays[north.relay] else {
            return nil
        }
        let renamed = MessageNames(source: names.source, destination: north.end, namespace: names.namespace)
        let way = RelayWay(names: names, north: north, renamed: renamed)
        self.recent = (way, relay)
        return (way, relay)
    }

    func channelReadComplete() {
        self.isTracing = self.logger.logLevel == .trace
        for relay in self.relays.values { relay.output?.flush() }
        self.flush()
    }

    func channelClosed(_ reason: TransportError?) {
        self.channel = nil
        self.authenticator?.end()
        self.online.set(self, isOnline: false)
        self.needsFlush = false
        guard !self.link.isStopped else { return }
        let wasOnline = self.isOnline
        self.reportLoss("Device lost", reason.map(\.description) ?? "closed by the device")
        self.obey(self.link.lost(at: self.eventLoop.now))
        if wasOnline { self.tellSendersOfLoss() }
    }

    private func receiveConnectionMessage(_ message: CastMessage) {
        guard ConnectionPayload(message.payload)?.kind == .close else { return }
        if message.destination == .platformSender {
            guard message.source == .platformReceiver else { return }
            guard let again = self.platform.reopen() else {
                self.channel?.close("the device keeps closing the platform connection")
                return
            }
            for message in again { self.write(message) }
        } else if let north = self.senderIDs.north(of: message.destination), let relay = self.relays[north.relay] {
            relay.closedByDevice(message.addressed(to: north.end), to: north)
        }
    }

    // MARK: Status

    /// Keeps the platform's status, from whichever message brings it.
    /// - Returns: true when the device came online by it, which the senders have been told.
    @discardableResult
    private func learn(from message: CastMessage) -> Bool {
        guard message.family == .receiver, message.source == .platformReceiver,
            PayloadSummary(peeking: message.payload).type == ReceiverStatusPayload.type,
            let status = ReceiverStatusPayload(message.payload)?.status
        else { return false }
        let before = self.sessions
        self.status = status
        let after = self.sessions
        for session in before where !after.contains(where: { $0.sessionID == session.sessionID }) {
            self.emitEnded(session, reason: "ended")
        }
        for session in after where !before.contains(where: { $0.sessionID == session.sessionID }) {
            for relay in self.relays.values {
                self.events.publish(.sessionStarted(device: relay.virtualDevice.name, session: session))
            }
        }
        return !self.isOnline && self.becomeOnline(status)
    }

    func emitEnded(_ session: SessionFacts, reason: String) {
        for relay in self.relays.values {
            self.events.publish(
                .sessionEnded(device: relay.virtualDevice.name, sessionID: session.sessionID, reason: reason))
        }
    }

    private func becomeOnline(_ status: ReceiverStatus) -> Bool {
        self.link.answered(at: self.eventLoop.now)
        guard self.isOnline else { return false }
        self.isReportedLost = false
        self.online.set(self, isOnline: true)
        self.logger.info("Device online", metadata: ["address": "\(self.address)"])
        self.events.publish(.deviceOnline(target: self.name))
        let message = CastMessage(
            source: .platformReceiver, destination: .broadcast, namespace: .receiver,
            payload: ReceiverStatusPayload(status).payload)
        for relay in self.relays.values { relay.output?.broadcast(message) }
        return true
    }
}
