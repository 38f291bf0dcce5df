import CastClient
import CastTransport
import CastWire
import GatewayCore
import Logging
import MediaRelay
import NIOCore
import SystemPrimitives

/// The settings that a device's session follows; taken anew with each configuration.
struct DeviceSessionSettings {
    var dialer: any DeviceDialer
    var backoff: Backoff
    var sessions = SessionsConfiguration()
}

/// A real device: owns its channel, what is known of it, and what passes between it and the senders.
///
/// ``DeviceLink`` keeps the channel, ``PlatformClient`` asks the device's platform, ``SenderRelay`` serves the senders; all of
/// them write to one ``DeviceChannel``, on which each sender's end has an id of its own and Castway itself is `sender-0`.
/// Here each message of the device is given to the part that it concerns, and each change of the link to all parts, in the
/// order in which senders are to see it.
///
/// Lives on one event loop together with the virtual devices that relay to it.
final class DeviceSession {
    /// A device that was in reach within this time is waited for when a dial fails: it may only have been restarted.
    private static let returnPatience = TimeAmount.seconds(30)

    let name: String
    let eventLoop: any EventLoop
    let logger: Logger
    let events: EventBus
    /// Carries the streams of mirroring senders.
    let media: MediaRelayPool
    let link: DeviceLink
    let platform: PlatformClient
    let senders: SenderRelay
    /// The settings of the router of Castway's own session.
    let routing: OwnLegRouting
    /// Completes the loads of the session of Castway's own; nil when nothing is added.
    let loads: (any LoadCompletion)?
    private let store: (any SessionRecordStore)?
    private(set) var settings: DeviceSessionSettings
    /// Says whose device it is; nil while it is not listed.
    var category: @Sendable () -> DeviceCategory? = { nil }
    /// The sessions that Castway's own were connected to.
    var owned = OwnedSessions()
    /// Set when the device is in the configuration no more: its last relay takes the channel with it.
    private var isRetired = false
    /// Called when a device that is here for its session alone has none any more.
    private var onUnused: (() -> Void)?
    /// The number of callers that need the device, which is not hung up meanwhile.
    private var callers = 0
    /// The callers that wait until the device can be asked.
    private var waiting: [EventLoopPromise<Void>] = []

    /// - Parameters:
    ///   - candidates: where the device may be, best first.
    ///   - authenticator: has the device prove itself on each channel; nil where it need not.
    ///   - routing: what the router of the session of Castway's own follows.
    ///   - wantedApps: which apps the device is asked for whenever it comes online.
    ///   - store: where the session of Castway's own is written down.
    ///   - onAvailability: called when the device says whether it has an app.
    init(
        name: String, candidates: [DeviceAddress], settings: DeviceSessionSettings,
        authenticator: DeviceAuthenticator? = nil, online: OnlineDevices, events: EventBus,
        store: (any SessionRecordStore)? = nil, loads: (any LoadCompletion)? = nil,
        routing: OwnLegRouting = OwnLegRouting(), wantedApps: [AppID] = [], media: MediaRelayPool = MediaRelayPool(),
        eventLoop: any EventLoop, logger: Logger, onAvailability: ((_ app: AppID, _ isAvailable: Bool) -> Void)? = nil
    ) {
        self.name = name
        self.settings = settings
        self.events = events
        self.media = media
        self.store = store
        self.loads = loads
        self.routing = routing
        self.eventLoop = eventLoop
        self.logger = logger
        self.link = DeviceLink(
            candidates: candidates, settings: settings, authenticator: authenticator,
            report: LinkReport(name: name, online: online, events: events, logger: logger), eventLoop: eventLoop)
        self.platform = PlatformClient(
            channel: self.link.channel, timeouts: settings.sessions.timeouts, wantedApps: wantedApps,
            onAvailability: onAvailability, eventLoop: eventLoop)
        self.senders = SenderRelay(
            channel: self.link.channel, platform: self.platform, configuration: settings.sessions, events: events,
            eventLoop: eventLoop, logger: logger)
    }

    var isOnline: Bool { self.link.isOnline }

    /// True once the device was hung up for good, or has left the configuration: another object may represent it now.
    var isGone: Bool { self.isRetired || self.link.isStopped }

    // MARK: Start and stop

    func start() {
        self.senders.outage.start()
        self.link.start(for: self)
    }

    /// Hangs up; what plays goes on, unless the apps are to be stopped.
    func stop(stoppingApps: Bool) {
        self.senders.outage.stop()
        // The end of the session must not hang up before the apps are stopped.
        self.onUnused = nil
        if stoppingApps, self.isOnline {
            self.platform.session?.end(.leave)
            self.platform.stopApps()
        }
        self.platform.session?.shutDown()
        self.platform.session = nil
        self.platform.failRequests()
        self.link.stop()
        self.callersWaitNoMore()
    }

    /// - Parameter verification: what later channels have to prove; nil when nothing has changed.
    func configure(_ settings: DeviceSessionSettings, _ verification: DeviceVerification? = nil) {
        self.settings = settings
        self.link.configure(settings, verification)
        self.senders.outage.configure(settings.sessions)
        self.platform.timeouts = settings.sessions.timeouts
        self.platform.session?.configure(settings.sessions)
    }

    /// Ends the session of Castway's own, and hangs up as soon as no relay needs the device.
    func retire() {
        self.isRetired = true
        self.platform.session?.end(.leave)
        self.hangUpIfUnused()
    }

    /// The device is in the configuration now, and stays when its session has ended.
    /// - Parameter isRunning: whether devices are dialled; one whose session ended meanwhile has been hung up for good.
    func adopt(at addresses: [DeviceAddress], isRunning: Bool) {
        self.onUnused = nil
        if !addresses.isEmpty {
            self.link.setCandidates(addresses + self.link.candidates.all, isAnnounced: false)
        }
        guard isRunning, self.link.isStopped else { return }
        self.senders.outage.start()
        self.link.restart(for: self, self.settings)
    }

    /// The device is here for its session alone.
    /// - Parameter onUnused: called once when the session has ended and no relay needs the device.
    func keepWhileUsed(onUnused: @escaping () -> Void) {
        self.onUnused = onUnused
    }

    /// Hangs up on a device that is here for its session alone, or has left the configuration, once it has no use.
    func hangUpIfUnused() {
        guard self.platform.session == nil, !self.senders.hasRelays, self.callers == 0 else { return }
        let onUnused = self.onUnused
        guard onUnused != nil || self.isRetired else { return }
        self.stop(stoppingApps: false)
        self.link.release()
        onUnused?()
    }

    // MARK: Callers

    /// Keeps a device from being hung up while a caller needs it; ``release()`` ends that.
    /// - Returns: false when it was hung up for good just now, and another object stands for the device.
    func hold() -> Bool {
        guard !self.link.isStopped else { return false }
        self.callers += 1
        return true
    }

    /// Waits for a device that is being dialled.
    /// - Returns: a future that succeeds when the device can be asked, or the time is over.
    func answer(within time: TimeAmount) -> EventLoopFuture<Void> {
        guard !self.isOnline else { return self.eventLoop.makeSucceededVoidFuture() }
        let promise = self.eventLoop.makePromise(of: Void.self, within: time) { $0.succeed() }
        self.waiting.append(promise)
        self.link.seek()
        return promise.futureResult
    }

    func release() {
        self.callers -= 1
        self.hangUpIfUnused()
    }

    // MARK: The session of Castway's own

    /// Starts a session, unless there is one.
    /// - Parameter previousDevice: the device whose playback it goes on with; nil for a session of its own.
    /// - Returns: nil when there is one already.
    func startSession(
        number: Int, app: AppID, options: LaunchOptions, previousDevice: String? = nil
    ) -> SessionHost? {
        var machine = SessionStateMachine(
            app: app, options: options, isPolite: self.settings.sessions.isPolite,
            suspendAfter: TimeAmount(self.settings.sessions.suspendAfter),
            timeouts: self.settings.sessions.timeouts, at: self.eventLoop.now)
        machine.isTransfer = previousDevice != nil
        let host = self.begin(number, machine)
        host?.previousDevice = previousDevice
        return host
    }

    /// Joins a session by its id, unless there is one.
    /// - Returns: nil when there is one already.
    func joinSession(number: Int, sessionID: String) -> SessionHost? {
        self.begin(
            number,
            SessionStateMachine(
                joining: sessionID, isPolite: self.settings.sessions.isPolite,
                suspendAfter: TimeAmount(self.settings.sessions.suspendAfter),
                timeouts: self.settings.sessions.timeouts, at: self.eventLoop.now))
    }

    private func begin(_ number: Int, _ machine: SessionStateMachine) -> SessionHost? {
        guard self.platform.session == nil else { return nil }
        self.platform.session = SessionHost(number: number, device: self, machine: machine, store: self.store)
        return self.platform.session
    }

    /// Takes a session up again that was written down, as soon as the device answers.
    func restore(_ record: SessionRecord, number: Int) {
        let machine = SessionStateMachine(
            restoring: record.application, app: record.app, options: record.options,
            suspendReason: record.suspendReason, isPolite: self.settings.sessions.isPolite,
            suspendAfter: TimeAmount(self.settings.sessions.suspendAfter))
        guard let host = self.begin(number, machine) else { return }
        host.restore(record)
        // The device may be away for long.
        host.emit(.didSuspend(host.machine.state.suspendReason))
        if self.isOnline, let status = self.platform.status { host.linkUp(status) }
    }

    /// Gives the session up to another object that stands for the same device now.
    func surrenderSession() -> SessionRecord? {
        guard let record = self.platform.session?.surrender() else { return nil }
        self.platform.session = nil
        return record
    }

    func sessionEnded(_ host: SessionHost) {
        guard self.platform.session === host else { return }
        self.platform.session = nil
        self.hangUpIfUnused()
    }

    // MARK: Events of the link

    /// The channel may be used.
    func channelOpened() {
        self.platform.channelOpened()
        self.senders.channelOpened()
    }

    /// The channel is gone, and with it every answer.
    func requestsLost() {
        self.platform.failRequests()
    }

    func deviceLost() {
        self.senders.outage.begin()
        self.platform.session?.linkDown()
    }

    /// The device was reached at none of its addresses. What waits for it is told so at once, unless it was in reach a short
    /// while ago, and is probably on its way back.
    func deviceNotReached(_ reason: String) {
        guard !self.link.wasOnline(within: Self.returnPatience, before: self.eventLoop.now) else { return }
        self.callersWaitNoMore()
        self.platform.session?.notReached(reason)
    }

    private func callersWaitNoMore() {
        for promise in self.waiting { promise.succeed() }
        self.waiting = []
    }

    func deviceMoved(wasOnline: Bool) {
        self.senders.outage.deviceMoved(wasOnline: wasOnline)
        self.platform.session?.linkDown()
    }

    /// The device stopped to take what it is sent, or takes it again.
    func writabilityChanged(_ isWritable: Bool) {
        self.platform.session?.writability.note(isWritable)
    }

    /// Asks the device for its status, so that it shows that it is there.
    func askStatus() {
        self.platform.askStatus()
    }

    func flush() { self.link.channel.flush() }

    // MARK: Messages of the device

    /// Takes a message. Most are for a sender's end that had one before, so that is asked first.
    func received(_ message: CastMessage) {
        let senders = self.senders
        if senders.isTracing { self.logger.trace("From the device", metadata: message.logMetadata) }
        let family = message.family
        guard family != .invalid else { return }
        if family == .deviceAuth || self.link.channel.open == nil { return self.link.received(beforeUse: message) }
        if family == .cast, message.namespace == .media { self.platform.note(media: message) }
        if family == .connection {
            self.receivedConnectionMessage(message)
        } else if message.isBroadcast {
            // Some devices tell the answer to a request to all.
            CommandTrace.following(self.platform.trace(answeredBy: message)) { self.receivedByAll(message) }
        } else if message.destination == .platformSender {
            CommandTrace.following(self.platform.trace(answeredBy: message)) { self.receivedAsPlatformSender(message) }
        } else if let route = senders.route(to: message.names) {
            if family == .receiver { self.learn(from: message) }
            senders.deliver(message, to: route)
        }
    }

    func readComplete() {
        self.link.readComplete()
        self.senders.readComplete()
        self.link.channel.flush()
    }

    private func receivedAsPlatformSender(_ message: CastMessage) {
        self.learn(from: message)
        if message.source == .platformReceiver { self.platform.received(message) }
        self.tellSession(message)
    }

    private func receivedByAll(_ message: CastMessage) {
        self.senders.answeredToAll(message)
        // The status that brings the device online is told to the senders by that already.
        guard !self.learn(from: message) else { return }
        if message.source == .platformReceiver, self.platform.isWaiting { self.platform.received(message) }
        self.tellSession(message)
        self.senders.deliverToAll(message)
    }

    private func receivedConnectionMessage(_ message: CastMessage) {
        guard let payload = ConnectionPayload(message.payload), payload.kind == .close else { return }
        self.platform.note(close: payload.reason, by: message.source)
        guard message.destination == .platformSender else { return self.senders.closedByDevice(message) }
        if message.source == .platformReceiver {
            self.platform.closedByDevice()
        } else {
            self.platform.session?.closed(message.source, payload.reason)
        }
    }

    /// Gives the session of Castway's own what concerns it.
    private func tellSession(_ message: CastMessage) {
        guard let session = self.platform.session else { return }
        if message.source != .platformReceiver {
            session.received(message)
        } else if message.namespace == .multizone, let payload = MultizonePayload(message.payload) {
            session.receivedMembers(payload)
        }
    }

    /// Keeps the platform's status, whichever message brings it.
    /// - Returns: true when the device came online by it, which the senders have been told.
    @discardableResult
    private func learn(from message: CastMessage) -> Bool {
        guard message.family == .receiver, message.source == .platformReceiver,
            message.summary.type == ReceiverStatusPayload.type,
            let told = ReceiverStatusPayload(message.payload)?.status
        else { return false }
        let status = told.completed(by: self.platform.status)
        let (before, apps, closes) = (self.platform.sessions, self.platform.apps, self.platform.closes)
        let isNews = self.platform.set(status)
        self.senders.appsChanged(from: apps, to: self.platform.apps, closes: closes)
        let isBack = self.link.answered()
        // A channel that was given up took with it what had been told.
        if isNews || isBack { self.events.publish(.deviceStatus(target: self.name, status: status.json)) }
        guard isBack else {
            self.platform.session?.received(status)
            return false
        }
        self.callersWaitNoMore()
        self.senders.deviceOnline(status, before: before)
        self.platform.session?.linkUp(status)
        self.platform.askForWantedApps()
        self.senders.recheckAvailability()
        self.senders.outage.sendQueued()
        return true
    }
}
