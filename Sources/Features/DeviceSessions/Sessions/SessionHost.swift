import CastClient
import CastDiscovery
import CastWire
import GatewayCore
import Logging
import NIOCore
import SystemPrimitives

/// A ``SessionStateMachine`` at work on a device: does what it says, and tells it what happens.
///
/// Lives on the device's event loop, and as long as the session.
final class SessionHost {
    let number: Int
    let device: DeviceSession
    private(set) var machine: SessionStateMachine
    private let timer: LoopTimer
    private let store: (any SessionRecordStore)?
    private var digest: StatusDigest
    private var members = GroupMembers()
    private var waiting: [SessionOperation: [EventLoopPromise<SessionFailure?>]] = [:]
    /// The command that an operation goes on for.
    private var traces: [SessionOperation: CommandTrace] = [:]
    /// The media client of the app.
    let media: MediaClientDriver
    /// The requests of callers to the app in other namespaces.
    let requests: AppRequests
    /// The way of messages to and from the app; nil while it cannot be spoken to.
    private(set) var leg: GatewaySessionRoute?
    var channels = OpenedChannels()
    /// Tells whether the device takes what it is sent.
    let writability: WritabilityNotes
    /// Since when the session is there, in this run of the gateway.
    let startedAt: NIODeadline
    private var playback = PlaybackSpan()
    /// The queue when something was told of it last.
    private var toldQueue = MediaQueue()
    /// The stored state of the media that plays, or played when the session was written down.
    var storedMedia: JSONObject?
    /// The app as it was before the end, for events that are told afterwards.
    private var last: ReceiverApplication?
    /// The category of the device when the session began; nil until that is known.
    var category: DeviceCategory?
    /// As which device the one at the other end proved itself when the app was reached first: the common name of its certificate.
    /// Nil while it was asked for no proof, or gave none.
    var provenDevice: String?
    /// The device whose playback it goes on with; nil for a session of its own.
    var previousDevice: String?
    /// The playback before the app could not be spoken to any more.
    private var lastPlayback: LastPlayback?
    /// The reason with which the app closed its connection last; nil once it has opened it again.
    private var closeReason: ConnectionPayload.CloseReason?
    private(set) var isEnded = false
    /// Set when nothing is done here any more, though the session has not ended: another run, or another object, goes on.
    private var whyLeft: SessionFailure?

    init(number: Int, device: DeviceSession, machine: SessionStateMachine, store: (any SessionRecordStore)?) {
        self.number = number
        self.device = device
        self.machine = machine
        self.store = store
        self.digest = StatusDigest(device.platform.status)
        self.timer = LoopTimer(on: device.eventLoop)
        self.requests = AppRequests(counter: device.platform.counter, eventLoop: device.eventLoop)
        self.startedAt = device.eventLoop.now
        self.writability = WritabilityNotes(eventLoop: device.eventLoop) { [channels = device.events.channels] in
            channels.note(isWritable: $0, ofSession: number)
        }
        self.media = MediaClientDriver(
            eventLoop: device.eventLoop, counter: device.platform.counter,
            options: device.settings.sessions.timeouts.media, loads: device.loads)
        self.media.onEvent = { [weak self] event in self?.mediaChanged(event) }
    }

    private var now: NIODeadline { self.device.eventLoop.now }

    // MARK: What is known

    var facts: CastSessionFacts {
        let app = self.machine.application ?? self.last
        var facts = CastSessionFacts(
            number: self.number, device: self.device.name, appID: self.machine.app ?? app?.appID ?? "",
            state: self.machine.state.connection, suspendReason: self.machine.state.suspendReason, app: app)
        // A session that was written down may be here before the plugin that names its device.
        if self.category == nil { self.category = self.device.category() }
        facts.category = self.category ?? .cast
        facts.previousDevice = self.previousDevice
        if self.machine.isEnded { facts.last = self.lastPlayback }
        return facts
    }

    /// The launch options of the app.
    var options: LaunchOptions { self.machine.options }

    /// Since when it is there, and what it plays is as it is.
    var times: AppTimes {
        AppTimes(
            started: self.startedAt, playback: self.playback.since,
            position: self.playback.since.map { _ in self.media.snapshot.position(at: self.now) })
    }

    /// True if the device takes more messages.
    var isWritable: Bool { self.device.link.channel.isWritable }

    var transport: EndpointID? { self.machine.transport }

    // MARK: Wishes

    func start() {
        self.perform(self.machine.start(at: self.now, isOnline: self.device.isOnline))
        self.device.link.seek()
    }

    func end(_ action: SessionEndAction?) {
        let usual: SessionEndAction = self.device.settings.sessions.stopsAppOnEnd ? .stop : .leave
        self.perform(self.machine.end(action ?? usual, isOnline: self.device.isOnline))
    }

    func suspend(_ reason: SessionSuspendReason) {
        self.perform(self.machine.suspend(reason))
    }

    func resume(_ cause: SessionResumeCause) {
        self.perform(self.machine.resume(cause, isOnline: self.device.isOnline))
    }

    /// The gateway stops: the session is written down, to be taken up again.
    func shutDown() {
        switch self.machine.state {
        case .starting: self.perform(self.machine.end(.leave, isOnline: false))
        // The answer to its STOP is not waited for.
        case .stopping, .gone: self.linkDown()
        case .suspended, .ended: break
        case .connected, .lost, .resuming: self.perform(self.machine.suspend(.appTerminated))
        }
        self.leave(SessionFailure(.cancelled, "the gateway stops"))
    }

    /// Another object goes on with the session, for whom it is written down.
    /// - Returns: nil when there is nothing to go on with: what is started or stopped comes to its end here.
    func surrender() -> SessionRecord? {
        if case .stopping = self.machine.state { return nil }
        guard let record else { return nil }
        self.perform(self.machine.suspend(.unknown))
        self.leave(SessionFailure(.sessionNotActive, "the session goes on under another number"))
        return record
    }

    /// True if it has ended, or goes on under another number: nothing is opened any more.
    var isOver: Bool { self.isEnded || self.machine.isEnded || self.whyLeft != nil }

    private func leave(_ why: SessionFailure) {
        guard !self.isEnded else { return }
        self.timer.cancel()
        self.whyLeft = why
        self.device.events.setOpenedNamespaces([], ofSession: self.number, on: self.device.name)
        self.settleAll(why)
    }

    func configure(_ configuration: SessionsConfiguration) {
        self.machine.isPolite = configuration.isPolite
        self.machine.suspendAfter = TimeAmount(configuration.suspendAfter)
        self.media.follow(configuration.timeouts.media)
    }

    /// True until the app could be spoken to for the first time.
    var isStarting: Bool { self.machine.state == .starting }

    var isSuspended: Bool { self.machine.state.isSuspended }

    /// True if its app is gone, and its end is told soon.
    var isGone: Bool { self.machine.state.isGone }

    /// The app that was asked for; nil when a session is joined by its id.
    var app: AppID? { self.machine.app }

    /// Waits for the end of an operation.
    /// - Parameter given: succeeds with what went wrong, if anything did; nothing is waited for any more when the caller
    ///   completes it first.
    @discardableResult
    func wait(
        for operation: SessionOperation, _ given: EventLoopPromise<SessionFailure?>? = nil
    ) -> EventLoopFuture<SessionFailure?> {
        let promise = given ?? self.eventLoop.makePromise(of: SessionFailure?.self)
        self.waiting[operation, default: []].append(promise)
        if self.traces[operation] == nil { self.traces[operation] = CommandTrace.current }
        let host = NIOLoopBound(self, eventLoop: self.eventLoop)
        promise.futureResult.whenComplete { _ in
            host.value.waiting[operation]?.removeAll { $0.futureResult === promise.futureResult }
            if host.value.waiting[operation]?.isEmpty != false { host.value.traces[operation] = nil }
        }
        return promise.futureResult
    }

    /// True while an operation is on its way, and comes to its end without the device being looked for.
    func isUnderWay(_ operation: SessionOperation) -> Bool {
        switch operation {
        case .start: self.isStarting
        case .resume: self.machine.state.isResuming
        case .end: self.machine.state.connection == .disconnecting
        }
    }

    // MARK: Media

    /// Writes down what plays when something else does, or in another way; not with every status, which may come twice a
    /// second.
    private func mediaChanged(_ event: MediaEvent) {
        guard self.whyLeft == nil else { return }
        if self.device.events.hasSubscribers,
            let change = CastMediaChange(
                event, queue: self.media.queue, known: self.toldQueue, last: self.media.snapshot.lastKnown)
        {
            self.device.events.publish(.castMedia(self.facts, change))
        }
        if case .queue = event { self.toldQueue = self.media.queue }
        if case .status(let snapshot) = event {
            self.playback.note(
                session: snapshot.mediaSessionID, state: snapshot.playerState.rawValue,
                item: snapshot.status?.currentItemID, at: self.now)
        }
        switch event {
        case .sessionStarted, .sessionEnded, .metadata, .settled: break
        case .availability, .status, .preload, .queue, .error, .message: return
        }
        self.noteMedia()
        if let record { self.store?.save(record) }
    }

    private func noteMedia() {
        let snapshot = self.media.snapshot
        guard let status = snapshot.status, let id = snapshot.mediaSessionID else { return self.storedMedia = nil }
        self.storedMedia = [
            "mediaSessionId": .number(id), "currentTime": .number(snapshot.position(at: self.now)),
            "time": .number(Int(HostClocks.now().realtime / 1_000_000_000)), "status": .object(status.json),
        ]
    }

    // MARK: What happens

    func linkUp(_ status: ReceiverStatus) {
        self.take(status)
        self.machine.isOtherDevice = self.isOtherDevice
        self.perform(self.machine.linkUp(status, at: self.now))
    }

    func linkDown() {
        let reason: SessionSuspendReason = self.device.link.candidates.isEmpty ? .networkNotReachable : .networkError
        self.perform(self.machine.linkDown(reason, at: self.now))
    }

    func notReached(_ reason: String) {
        self.perform(self.machine.notReached(reason))
    }

    func received(_ status: ReceiverStatus) {
        self.take(status)
        self.perform(self.machine.received(status, at: self.now))
    }

    func closed(_ transport: EndpointID, _ reason: ConnectionPayload.CloseReason) {
        if transport == self.machine.application?.transportID { self.closeReason = reason }
        self.perform(self.machine.closed(transport, at: self.now))
    }

    func consent(_ state: LaunchStatus.State) {
        self.perform(self.machine.consent(state, at: self.now))
    }

    func received(_ message: CastMessage) {
        guard message.source == self.machine.transport else { return }
        guard let leg, !self.channels.closed.contains(message.namespace) else { return self.take(message) }
        leg.received(message, answering: self.requests.origin(answeredBy: message))
    }

    /// Takes what the app says: what is known of its media, and the answers that callers wait for.
    func take(_ message: CastMessage) {
        if message.namespace == .media { self.media.receive(message) }
        self.requests.receive(message)
    }

    func receivedMembers(_ payload: MultizonePayload) {
        if self.members.update(payload) { self.emit(.members(self.members.devices)) }
    }

    /// Asks a speaker group for its members; what is known to be none is not asked. The answer is read as any other is.
    private func askMembers() {
        guard self.device.link.identity?.isGroup != false else { return }
        self.device.platform.call(MultizonePayload.getStatus(requestID: .spontaneous).json, in: .multizone)
    }

    func answered(_ request: SessionRequest, _ outcome: RequestOutcome) {
        self.perform(self.machine.answered(request, .init(outcome), at: self.now))
    }

    /// No change of the volume is under way any more.
    func volumeSettled(_ status: ReceiverStatus) { self.take(status) }

    private func take(_ status: ReceiverStatus) {
        let changes = self.digest.update(status, keepsVolume: self.device.platform.isVolumeStale(in: status))
        guard self.machine.transport != nil else { return }
        for change in changes { self.emit(change) }
    }

    // MARK: Carrying out

    func emit(_ change: CastSessionChange) {
        let facts = self.facts
        if let line = change.logLine {
            var metadata: Logger.Metadata = ["app": "\(facts.appID)", "session": "\(facts.sessionID ?? "none")"]
            if let reason = line.reason { metadata["reason"] = "\(reason)" }
            self.device.logger.info(line.message, metadata: metadata)
        }
        self.device.events.publish(.castSession(facts, change))
    }

    private func perform(_ actions: [SessionStateMachine.Action]) {
        if let whyLeft { return self.settleAll(whyLeft) }
        if let application = self.machine.application { self.last = application }
        // Every step of an operation is taken for its command; there is one at a time.
        CommandTrace.following(CommandTrace.current ?? self.traces.values.first) {
            for action in actions { self.perform(action) }
            self.followChannels()
        }
        self.device.flush()
        guard self.machine.isEnded, !self.isEnded else { return }
        self.isEnded = true
        self.timer.cancel()
        self.settleAll(SessionFailure(.sessionNotActive, "the session has ended"))
        self.device.sessionEnded(self)
    }

    private func perform(_ action: SessionStateMachine.Action) {
        switch action {
        case .ask(let request): self.device.platform.ask(request, app: self.machine.app, options: self.machine.options)
        case .cancelRequests: self.device.platform.cancelSessionRequests()
        case .connect(let transport):
            let introduction = self.device.loads?.introduction ?? SenderIntroduction()
            self.device.platform.send(introduction.connect.payload, in: .connection, to: transport)
            self.device.owned.note(self.machine.application?.sessionID)
        case .close(let transport):
            self.device.platform.send(ConnectionPayload.close().payload, in: .connection, to: transport)
        case .emit(.didEnd(var failure?)):
            failure.closeReason = self.closeReason
            self.emit(.didEnd(failure))
        case .emit(let change): self.emit(change)
        case .attach(let app):
            self.closeReason = nil
            self.leg?.shutDown()
            self.leg = GatewaySessionRoute(of: self, following: self.device.routing)
            self.media.attach(to: self, app: app)
            self.askMembers()
        case .detach(let isForGood):
            self.leg?.shutDown()
            self.leg = nil
            if isForGood { self.channels = OpenedChannels() }
            self.noteMedia()
            self.lastPlayback = LastPlayback(self.media.snapshot, at: self.now) ?? self.lastPlayback
            self.requests.failAll(RequestError(.disconnected, "the app, or the device, was lost before it answered"))
            if isForGood { self.media.detach() } else { self.media.suspend() }
        case .save: if let record { self.store?.save(record) }
        case .forget: self.store?.remove(device: self.device.name)
        case .wait(let until):
            self.timer.set(until: until) { self.perform(self.machine.timerFired(at: self.now)) }
        case .hangUp: self.device.hangUpIfUnused()
        case .settle(let operation, let failure): self.settle(operation, failure)
        }
    }

    /// Tells the channels of the app: they are connected while the app can be spoken to, in the namespaces that it lists.
    func followChannels() {
        let channels = self.device.events.channels
        let owner = AppChannel.Owner.session(self.number)
        let opened = self.isOver ? [] : self.channels.opened
        self.device.events.setOpenedNamespaces(opened, ofSession: self.number, on: self.device.name)
        guard self.machine.transport != nil, let app = self.machine.application else {
            let reason =
                self.machine.state.isSuspended
                ? "the session is suspended" : "the session is over, or the device is away"
            self.writability.reset()
            return channels.remove(owner, reason: reason)
        }
        channels.note(
            owner, device: self.device.name, app: app.appID ?? "", sessionID: app.sessionID ?? "",
            namespaces: app.namespaces, opened: self.channels.opened, closed: self.channels.closed,
            isWritable: self.isWritable, at: self.now)
        self.writability.note(self.isWritable)
    }

    private func settle(_ operation: SessionOperation, _ failure: SessionFailure?) {
        self.traces[operation] = nil
        for promise in self.waiting.removeValue(forKey: operation) ?? [] { promise.succeed(failure) }
    }

    private func settleAll(_ failure: SessionFailure) {
        for operation in Array(self.waiting.keys) { self.settle(operation, failure) }
    }
}
