import CastClient
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
    let eventLoop: any EventLoop
    let logger: Logger
    let events: EventBus
    let online: OnlineDevices
    var settings: DeviceSessionSettings
    var candidates: DeviceCandidates
    /// Addresses that an announcement brought; they are tried first.
    var favourites: [DeviceAddress] = []
    /// Where the device is, or was dialled last.
    var address: DeviceAddress?
    var link: LinkStateMachine
    let linkTimer: LoopTimer
    var channel: CastConnection?
    var attempt: DialAttempt?
    /// A second channel, dialled because there is reason to doubt the first.
    var standby: DialAttempt?
    /// Has the device prove itself on each channel; nil where it need not.
    var authenticator: DeviceAuthenticator?
    /// Which apps the device is asked for when its channel stands.
    var wantedApps: [AppID] = []
    /// Takes whether the device has an app.
    var learnedOf: ((_ app: AppID, _ isAvailable: Bool) -> Void)?
    /// Completes the loads of the session of Castway's own.
    var loads: (any LoadCompletion)?
    /// Set when the device is in the configuration no more: its last relay takes the channel with it.
    private(set) var isRetired = false
    /// Called when a device that is here for its session alone has none any more.
    var whenUnused: (() -> Void)?
    var needsFlush = false
    var isReportedLost = false
    private var isReportedSlow = false
    /// Runs while the device is out of reach and its senders have not been told yet.
    let gapTimer: LoopTimer
    var gap = RelayGap()
    /// What senders asked while the device was out of reach, and what waits for it.
    var held = HeldRequests()
    let heldTimer: LoopTimer
    /// True when nothing ran on the device when it was lost; false before it was ever there.
    var wasIdle = false

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
    var platform = PlatformConnection()
    /// Castway's own requests to the platform. Senders count from one, and what answers one of them may come to all.
    var tracker = RequestTracker<PlatformTicket>(counter: RequestCounter(startingAt: 1_000_000_000))
    let requestTimer: LoopTimer
    /// The session of Castway's own; nil when there is none.
    var cast: SessionHost?
    /// Where sessions are written down.
    let store: (any SessionRecordStore)?
    var status: ReceiverStatus? {
        didSet {
            self.sessions = self.status?.applications.compactMap(\.facts) ?? []
            self.apps = self.status?.applications.filter { !$0.isIdleScreen }.compactMap(\.facts) ?? []
            self.media.keep(self.sessions.lazy.map(\.transportID))
        }
    }
    /// What the apps said last of what they play.
    var media = LastMediaStatuses()
    /// What runs on the device, read once per status since every message asks for it.
    private(set) var sessions: [SessionFacts] = []
    /// The same without the idle screen, which is nobody's session.
    private(set) var apps: [SessionFacts] = []

    init(
        name: String, candidates: [DeviceAddress], settings: DeviceSessionSettings, online: OnlineDevices,
        events: EventBus, store: (any SessionRecordStore)? = nil, eventLoop: any EventLoop, logger: Logger
    ) {
        self.store = store
        self.requestTimer = LoopTimer(on: eventLoop)
        self.name = name
        self.candidates = DeviceCandidates(candidates)
        self.settings = settings
        self.online = online
        self.events = events
        self.eventLoop = eventLoop
        self.logger = logger
        self.link = LinkStateMachine(backoff: settings.backoff)
        self.linkTimer = LoopTimer(on: eventLoop)
        self.gapTimer = LoopTimer(on: eventLoop)
        self.heldTimer = LoopTimer(on: eventLoop)
        self.isTracing = logger.logLevel == .trace
    }

    var isOnline: Bool { self.link.isOnline }
    var isConnected: Bool { self.link.isConnected }

    // MARK: Life

    func start() {
        self.candidates.beginRound()
        self.obey(self.link.start(at: self.eventLoop.now))
    }

    /// Hangs up; what plays goes on, unless the apps are to be stopped.
    func stop(stoppingApps: Bool) {
        self.linkTimer.cancel()
        self.gapTimer.cancel()
        self.heldTimer.cancel()
        self.dropStandby()
        if stoppingApps, self.isOnline {
            self.cast?.end(.leave)
            for session in self.apps {
                let stop = ReceiverRequest.stop(sessionID: session.sessionID, requestID: self.tracker.counter.next())
                self.say(stop.payload, in: .receiver, to: .platformReceiver)
            }
        }
        self.cast?.shutDown()
        self.cast = nil
        self.whenUnused = nil
        self.failRequests()
        self.online.set(self, isOnline: false)
        self.obey(self.link.stop())
    }

    func attach(_ relay: DeviceRelay) {
        self.relays[ObjectIdentifier(relay)] = relay
    }

    func detach(_ relay: DeviceRelay) {
        self.relays[ObjectIdentifier(relay)] = nil
        self.held.forget { $0.relay == ObjectIdentifier(relay) }
        self.hangUpIfUnused()
    }

    /// Ends the session, and hangs up as soon as no relay needs the device.
    func retire() {
        self.isRetired = true
        self.cast?.end(.leave)
        self.hangUpIfUnused()
    }

    /// Takes what the next dial and the pauses before it follow.
    func configure(_ settings: DeviceSessionSettings) {
        self.settings = settings
        self.link.pace(settings.backoff)
        self.cast?.configure(settings.sessions)
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
        // What is no app's own follows the rules of Cast: who asks is answered.
        let isAnswered = message.family != .custom && !message.isBroadcast || message.isToPlatform
        if message.family == .receiver, let answer = StreamedApps.answer(to: message) { return answer }
        guard self.isOnline, let channel else {
            if self.hold(message, message.summary, for: way.north) { return .ignored }
            return isAnswered || self.gap.isOpen ? self.answerInPlace(message) : .ignored
        }
        guard channel.isWritable else {
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
        if isAnswered, let waited = self.pending.sent(message, message.summary, from: way.north) {
            self.giveUp(waited, for: way.north)
        }
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
        self.platform.forget { $0 == north }
        self.pending.forget(north)
        self.held.forget { $0 == north }
        self.gap.forget { $0 == north }
    }

    /// Forgets what a sender's end waits for from an app to which it has no virtual connection any more.
    func forget(_ north: SenderIDs.North, at transport: EndpointID) {
        self.pending.forget(north, at: transport)
    }

    /// Forgets a sender's channel.
    func forget(_ connection: ConnectionID, of relay: DeviceRelay) {
        self.senderIDs.removeAll(relay: ObjectIdentifier(relay), connection: connection)
        self.platform.forget { $0.relay == ObjectIdentifier(relay) && $0.connection == connection }
        self.gap.forget { $0.relay == ObjectIdentifier(relay) && $0.connection == connection }
        self.held.forget { $0.relay == ObjectIdentifier(relay) && $0.connection == connection }
        self.pending.forget(connection, of: ObjectIdentifier(relay))
    }

    func flush() {
        guard self.needsFlush else { return }
        self.needsFlush = false
        self.channel?.flush()
    }

    @discardableResult
    func write(_ message: CastMessage) -> Bool {
        self.needsFlush = true
        return self.channel?.send(message) ?? true
    }

    // MARK: From the device

    func facts(at transport: EndpointID) -> SessionFacts? {
        self.sessions.first { $0.transportID == transport }
    }

    /// What the last status named; not all of it when the device has not said, or left out what makes a session.
    var running: RunningApps {
        RunningApps(self.sessions, isComplete: self.status?.applications.count == self.sessions.count)
    }

    /// How many apps run on the device, the idle screen aside.
    var sessionCount: Int { self.status?.applications.count { !$0.isIdleScreen } ?? 0 }

    /// What an app plays, as it said last.
    func mediaStatus(at transport: EndpointID) -> JSONObject? {
        self.media.status(at: transport, now: self.eventLoop.now)?.json
    }

    func channelReceived(_ message: CastMessage) {
        if self.isTracing { self.logger.trace("From the device", metadata: message.logMetadata) }
        if let authenticator, authenticator.takes(message) { return }
        if message.family == .cast, message.namespace == .media, self.facts(at: message.source) != nil {
            self.media.note(message, at: self.eventLoop.now)
        }
        if message.family == .connection {
            self.receiveConnectionMessage(message)
        } else if message.isBroadcast {
            if message.family != .custom || message.source == .platformReceiver { self.pending.answeredToAll(message) }
            // What brings the device online is told to the senders by that already.
            guard !self.learn(from: message) else { return }
            if message.source == .platformReceiver, self.tracker.count > 0 { self.receivedAnswer(message) }
            if self.gap.isRefreshing { self.gap.heardByAll(message) }
            if self.cast != nil { self.tellSession(message) }
            let told = message.family == .receiver ? StreamedApps.withheld(from: message) : message
            for relay in self.relays.values { relay.output?.broadcast(told) }
        } else if message.destination == .platformSender {
            self.learn(from: message)
            if message.source == .platformReceiver { self.receivedAnswer(message) }
            self.tellSession(message)
        } else if let (way, relay) = self.way(to: message.names) {
            self.learn(from: message)
            var answer = message
            answer.names = way.renamed ?? message.names
            if message.family != .custom || message.source == .platformReceiver {
                if self.gap.isRefreshing, let fresh = self.gap.refreshed(by: answer, at: way.north) {
                    for relay in self.relays.values { relay.output?.broadcast(fresh) }
                    return
                }
                self.pending.answered(answer, to: way.north)
            }
            if answer.family == .receiver {
                relay.answer(StreamedApps.withheld(from: answer), to: way.north.connection)
            } else {
                relay.output?.send(answer, to: way.north.connection)
            }
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
        if self.link.isProbing {
            self.link.heard()
            self.favourites = []
            self.dropStandbyUnlessStuck()
        }
        for relay in self.relays.values { relay.output?.flush() }
        self.flush()
    }
}
