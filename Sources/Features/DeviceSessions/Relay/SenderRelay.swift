import CastClient
import CastTransport
import CastWire
import GatewayCore
import Logging
import NIOCore

/// Passes messages between the senders of all virtual devices that stand for one device, and that device.
///
/// Each virtual device has a ``DeviceRelay``, which knows its senders' virtual connections. What they share is here: the ids
/// of the senders' ends on the device's one channel (``SenderTable``), their requests that the device has not answered yet
/// (``PendingRequests``), and what happens while the device is out of reach (``DeviceOutage``).
///
/// Lives on the device's event loop. ``request(_:along:)`` and ``deliver(_:to:)`` run for every relayed message: what they
/// read is kept in `let` properties and in routes, the log level is read once per turn of the loop, and there is no weak
/// reference to any object on the way.
final class SenderRelay {
    enum Outcome {
        case sent
        /// The device cannot be asked; this is the answer in its place.
        case answered(CastMessage)
        case ignored

        /// Answers in the device's place, if there is an answer: the sender waits for one.
        init(_ answer: CastMessage?) {
            self = answer.map(Outcome.answered) ?? .ignored
        }
    }

    let outage: DeviceOutage
    private let channel: DeviceChannel
    private let platform: PlatformClient
    private let senders: SenderTable
    private let events: EventBus
    private let logger: Logger
    private var reopenings = PlatformReopenings()
    private var isSlownessReported = false
    private(set) var isTracing: Bool

    init(
        channel: DeviceChannel, platform: PlatformClient, configuration: SessionsConfiguration, events: EventBus,
        eventLoop: any EventLoop, logger: Logger
    ) {
        self.channel = channel
        self.platform = platform
        self.senders = SenderTable(channel: channel)
        self.outage = DeviceOutage(
            channel: channel, platform: platform, senders: self.senders,
            configuration: configuration, events: events, eventLoop: eventLoop)
        self.events = events
        self.logger = logger
        self.isTracing = logger.logLevel == .trace
    }

    var hasRelays: Bool { !self.senders.relays.isEmpty }
    /// The number of ends of senders that have an id on the device's channel.
    var endCount: Int { self.senders.endCount }
    /// The number of requests the device has not answered.
    var pendingCount: Int { self.senders.pending.count }

    func attach(_ relay: DeviceRelay) {
        self.senders.add(relay)
    }

    func detach(_ relay: DeviceRelay) {
        self.senders.remove(relay)
        self.outage.forget { $0.relay == ObjectIdentifier(relay) }
    }

    func readComplete() {
        self.isTracing = self.logger.logLevel == .trace
        self.senders.flush()
    }

    // MARK: From the senders

    func sendConnect(_ message: CastMessage, for sender: SenderEnd) {
        self.senders.sendConnect(message, for: sender)
    }

    /// Sends something in the name of a sender; lost while there is no open channel.
    func send(_ message: CastMessage, for sender: SenderEnd) {
        self.senders.send(message, for: sender)
    }

    /// Sends a sender's message, or says what to answer in the device's place.
    func request(_ message: CastMessage, along route: RouteToDevice) -> Outcome {
        if self.isTracing { self.logger.trace("Relaying", metadata: message.logMetadata) }
        let family = message.family
        // Outside of apps' own namespaces the rules of Cast hold: each request is answered.
        let isAnswered = family != .custom && !message.isBroadcast || message.isToPlatform
        let channel = self.channel
        guard let online = channel.online else {
            if self.outage.enqueue(message, message.summary, for: route.sender) { return .ignored }
            return isAnswered || self.outage.isInGracePeriod ? Outcome(self.outage.answer(to: message)) : .ignored
        }
        guard online.isWritable else { return self.refuse(message) }
        if self.isSlownessReported { self.isSlownessReported = false }
        guard channel.send(message, as: route.renamed ?? self.senders.names(on: route), on: online) else {
            let tooLarge = Rejection(reason: "INVALID_REQUEST", message: "the message is too large to be relayed")
            return Outcome(tooLarge.answer(to: message, message.summary))
        }
        if isAnswered, let dropped = self.senders.pending.sent(message, message.summary, from: route.sender) {
            self.answerOverload(dropped, for: route.sender)
        }
        return .sent
    }

    private func refuse(_ message: CastMessage) -> Outcome {
        self.logger.log(
            level: self.isSlownessReported ? .debug : .notice, "The device does not keep up; a message was refused")
        self.isSlownessReported = true
        return Outcome(Rejection.overloaded.answer(to: message, message.summary))
    }

    /// Answers a request that waited for the device so long that another one took its place.
    private func answerOverload(_ dropped: PendingRequests.Taken, for sender: SenderEnd) {
        let answer = Rejection.overloaded.answer(to: dropped.request.message, dropped.request.summary)
        guard let answer, let output = self.senders.relay(of: dropped.sender)?.output else { return }
        output.send(answer, to: dropped.sender.connection)
        // The channel whose message this is flushes by itself.
        if dropped.sender.relay != sender.relay || dropped.sender.connection != sender.connection { output.flush() }
    }

    /// True if a sender's channel waits for an answer of the platform.
    func platformWaits(for connection: ConnectionID, of relay: DeviceRelay) -> Bool {
        self.senders.pending.platformWaits(for: connection, of: ObjectIdentifier(relay))
    }

    /// Forgets a sender's end that has no virtual connection any more.
    func forget(_ sender: SenderEnd) {
        self.senders.forget(sender)
        self.reopenings.forget { $0 == sender }
        self.outage.forget { $0 == sender }
    }

    /// Forgets what a sender's end waits for from an app to which it has no virtual connection any more.
    func forget(_ sender: SenderEnd, at transport: EndpointID) {
        self.senders.pending.forget(sender, at: transport)
    }

    func forget(_ connection: ConnectionID, of relay: DeviceRelay) {
        let relay = ObjectIdentifier(relay)
        self.senders.forget(connection, of: relay)
        self.reopenings.forget { $0.relay == relay && $0.connection == connection }
        self.outage.forget { $0.relay == relay && $0.connection == connection }
    }

    // MARK: From the device

    /// The route of the device's messages to a sender's end; nil when there is none of this name.
    func route(to names: MessageNames) -> RouteToSender? {
        self.senders.route(to: names)
    }

    /// Delivers a message of the device to the sender's end that it names.
    func deliver(_ message: CastMessage, to route: RouteToSender) {
        var answer = message
        answer.names = route.renamed
        let family = answer.family
        if family != .custom || answer.source == .platformReceiver {
            if self.outage.isRefreshing, let status = self.outage.refreshed(by: answer, at: route.sender) {
                return self.senders.broadcast(status)
            }
            self.senders.pending.answered(answer, to: route.sender)
        }
        let (relay, connection) = (route.relay, route.sender.connection)
        if family == .receiver {
            relay.answer(relay.shown(answer), to: connection)
        } else if route.isMirroring {
            if let told = relay.negotiated(answer, with: route.sender) { relay.output?.send(told, to: connection) }
        } else {
            relay.output?.send(answer, to: connection)
        }
    }

    /// Takes a message of the device to all: requests whose number it has are answered by it.
    func answeredToAll(_ message: CastMessage) {
        if message.family != .custom || message.source == .platformReceiver {
            self.senders.pending.answeredToAll(message)
        }
    }

    func deliverToAll(_ message: CastMessage) {
        self.outage.receivedByAll(message)
        if message.family == .receiver {
            for relay in self.senders.relays { relay.output?.broadcast(relay.shown(message)) }
        } else if message.namespace != .webRTC {
            self.senders.broadcast(message)
        } else {
            for relay in self.senders.relays where relay.mirroring.isForAll(message) {
                relay.output?.broadcast(message)
            }
        }
    }

    /// The device closed a sender's virtual connection. One to the platform is acknowledged and opened again, which its
    /// sender need not know of.
    func closedByDevice(_ close: CastMessage) {
        guard let (sender, relay) = self.senders.sender(of: close.destination) else { return }
        guard close.source == .platformReceiver, let connect = relay.platformConnection(of: sender),
            self.reopenings.mayReopen(sender)
        else { return relay.closedByDevice(close.addressed(to: sender.end), to: sender) }
        self.send(
            CastMessage(
                source: sender.end, destination: .platformReceiver, namespace: .connection,
                payload: ConnectionPayload.close().payload), for: sender)
        self.sendConnect(connect, for: sender)
        // What the sender waits for was thrown away with the connection.
        let lastKnown = OfflineAnswers(lastKnown: self.platform.status, keepsApps: true)
        for request in self.senders.pending.takePlatformRequests(of: sender) {
            // Which apps the device has cannot be answered in its place: it is asked again.
            if request.summary.type == AppAvailability.type {
                relay.receive(request.message, from: sender.connection)
                continue
            }
            guard let answer = lastKnown.answer(to: request.message, request.summary) else { continue }
            relay.output?.send(answer, to: sender.connection)
        }
    }

    // MARK: The device's state

    /// There is a new channel: senders' connections to the platform are opened again on it.
    func channelOpened() {
        self.reopenings = PlatformReopenings()
        for relay in self.senders.relays {
            for (sender, connect) in relay.platformConnections { self.sendConnect(connect, for: sender) }
        }
    }

    /// Handles another status of the device: publishes which apps have started and ended.
    /// - Parameter closes: why apps have closed connections, by where they were reached.
    func appsChanged(
        from old: [SessionFacts], to new: [SessionFacts], closes: [EndpointID: ConnectionPayload.CloseReason] = [:]
    ) {
        for app in old where !new.contains(where: { $0.sessionID == app.sessionID }) {
            for relay in self.senders.relays {
                relay.mirroring.end(.appEnded) { $0.app == app.transportID }
                self.events.publish(
                    .sessionEnded(
                        device: relay.virtualDevice.name, sessionID: app.sessionID, reason: "ended",
                        runningApp: new.first?.appID, closeReason: closes[app.transportID]))
            }
        }
        for app in new where !old.contains(where: { $0.sessionID == app.sessionID }) {
            for relay in self.senders.relays {
                self.events.publish(.sessionStarted(device: relay.virtualDevice.name, session: app))
            }
        }
    }

    /// Handles the device's return.
    /// - Parameter before: what ran when it was lost.
    func deviceOnline(_ status: ReceiverStatus, before: [SessionFacts]) {
        self.outage.end(before: before)
        self.senders.broadcast(
            CastMessage(
                source: .platformReceiver, destination: .broadcast, namespace: .receiver,
                payload: ReceiverStatusPayload(status).payload))
    }

    /// Asks the device about the apps that senders were not told of: a sender that was told wrongly has to ask again.
    func recheckAvailability() {
        var apps = Set<AppID>()
        for relay in self.senders.relays { apps.formUnion(relay.missingApps) }
        guard !apps.isEmpty else { return }
        let asked = apps.sorted { $0.rawValue < $1.rawValue }.prefix(AppAvailability.maximumApps)
        let request = ReceiverRequest.getAppAvailability(of: Array(asked), requestID: .spontaneous)
        self.platform.call(request.json, in: .receiver).assumeIsolated().whenSuccess { outcome in
            guard let answer = try? AppAvailability(json: outcome.get()) else { return }
            let available = Set(answer.availableApps)
            for relay in self.senders.relays { relay.learned(available: available) }
        }
    }
}
