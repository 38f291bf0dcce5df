import CastClient
import CastTransport
import CastWire
import GatewayCore
import NIOCore
import SystemPrimitives

/// Castway's own virtual connection to a device's platform, as `sender-0`: the device's status as it was told last, and the
/// requests of Castway's own that wait for an answer.
///
/// The requests come from the session of Castway's own (``ask(_:app:options:)``) and from callers of ``call(_:in:kind:)``;
/// ``RequestTracker`` matches the answers. Senders count their requests from one and Castway from 1,000,000,000, since some
/// devices send the answer to one of them to all.
///
/// Lives on the device's event loop.
final class PlatformClient {
    private let eventLoop: any EventLoop
    private let channel: DeviceChannel
    private let timer: LoopTimer
    private var tracker = RequestTracker<PlatformTicket>(counter: RequestCounter(startingAt: 1_000_000_000))
    private var steps = JoinedSteps<RequestTracker<PlatformTicket>.Kind, PlatformStep>()
    private var reopenings = PlatformReopenings()
    private var media = LastMediaStatuses()
    private var wantedApps: [AppID]
    /// The time answers may take, from the next request on.
    var timeouts: SessionTimeouts
    private let onAvailability: ((_ app: AppID, _ isAvailable: Bool) -> Void)?
    /// The session of Castway's own; nil when there is none.
    var session: SessionHost?
    /// The status that the device told last; nil before the first.
    private(set) var status: ReceiverStatus? {
        didSet {
            self.sessions = self.status?.applications.compactMap(\.facts) ?? []
            self.apps = self.status?.applications.filter { !$0.isIdleScreen }.compactMap(\.facts) ?? []
            self.media.keep(self.sessions.lazy.map(\.transportID))
            if !self.closes.isEmpty {
                let ends = Set(self.sessions.map(\.transportID))
                self.closes = self.closes.filter { ends.contains($0.key) }
            }
            self.noteStarts()
        }
    }
    /// The sessions that run on the device, read once per status since every message asks for it.
    private(set) var sessions: [SessionFacts] = []
    /// The same without the idle screen, which is no session.
    private(set) var apps: [SessionFacts] = []

    /// The close reasons of the apps that still run, by where they are reached.
    private(set) var closes: [EndpointID: ConnectionPayload.CloseReason] = [:]
    /// The time when each session of ``apps`` was in a status first.
    private var starts: [String: NIODeadline] = [:]

    /// - Parameters:
    ///   - timeouts: how long answers may take.
    ///   - wantedApps: which apps the device is asked for whenever it comes online.
    ///   - onAvailability: called when the device says whether it has an app.
    init(
        channel: DeviceChannel, timeouts: SessionTimeouts, wantedApps: [AppID],
        onAvailability: ((_ app: AppID, _ isAvailable: Bool) -> Void)?, eventLoop: any EventLoop
    ) {
        self.channel = channel
        self.timeouts = timeouts
        self.wantedApps = wantedApps
        self.onAvailability = onAvailability
        self.eventLoop = eventLoop
        self.timer = LoopTimer(on: eventLoop)
    }

    // MARK: What is known

    /// The app at a transport id; nil when none runs there.
    func facts(at transport: EndpointID) -> SessionFacts? {
        self.sessions.first { $0.transportID == transport }
    }

    /// The apps of the last status; incomplete when the device has not said, or left out what makes a session.
    var running: RunningApps {
        RunningApps(self.sessions, isComplete: self.status?.applications.count == self.sessions.count)
    }

    /// The number of apps that run on the device, without the idle screen.
    var sessionCount: Int { self.status?.applications.count { !$0.isIdleScreen } ?? 0 }

    /// The media status of an app, as far as it has said, with its position now.
    func mediaStatus(at transport: EndpointID) -> JSONObject? {
        self.media.status(at: transport, now: self.eventLoop.now)?.json
    }

    /// Since when an app has been known, and what it plays is as it is.
    func times(of app: SessionFacts) -> AppTimes {
        let now = self.eventLoop.now
        let playback = self.media.playback(at: app.transportID, now: now)
        return AppTimes(started: self.starts[app.sessionID], playback: playback?.since, position: playback?.position)
    }

    private func noteStarts() {
        let ids = self.apps.map(\.sessionID)
        guard self.starts.count != ids.count || !ids.allSatisfy({ self.starts[$0] != nil }) else { return }
        let now = self.eventLoop.now
        self.starts = Dictionary(ids.map { ($0, self.starts[$0] ?? now) }, uniquingKeysWith: { first, _ in first })
    }

    /// The counter of the requests on this channel, shared with the media client.
    var counter: RequestCounter { self.tracker.counter }

    var isWaiting: Bool { self.tracker.count > 0 }

    // MARK: The status

    /// Takes a status; another one is in its place when senders are told that the device is lost.
    /// - Returns: whether it says something else than the last one.
    @discardableResult
    func set(_ status: ReceiverStatus) -> Bool {
        defer { self.status = status }
        return self.status.map { !$0.json.isEquivalent(to: status.json) } ?? true
    }

    /// Keeps what an app says about media.
    func note(media message: CastMessage) {
        guard self.facts(at: message.source) != nil else { return }
        self.media.note(message, at: self.eventLoop.now)
    }

    /// Keeps why an app closed a connection: that comes before the status in which it is gone.
    func note(close reason: ConnectionPayload.CloseReason, by app: EndpointID) {
        guard self.facts(at: app) != nil else { return }
        self.closes[app] = reason
    }

    // MARK: The virtual connection

    /// Opens the virtual connection on a new channel, and asks for the status.
    func channelOpened() {
        self.reopenings = PlatformReopenings()
        self.connect()
    }

    /// The platform closed the virtual connection. A device that restarts its platform does so until that is acknowledged;
    /// one that goes on closing gets a new channel.
    func closedByDevice() {
        guard self.reopenings.mayReopen(nil) else {
            self.channel.close("the device keeps closing the platform connection")
            return
        }
        self.send(ConnectionPayload.close().payload, in: .connection, to: .platformReceiver)
        self.connect()
    }

    private func connect() {
        self.send(ConnectionPayload.connect(userAgent: "Castway").payload, in: .connection, to: .platformReceiver)
        self.askStatus()
    }

    // MARK: Requests

    /// Sends something to an end on the device.
    func send(_ payload: CastMessage.Payload, in namespace: Namespace, to end: EndpointID) {
        let message = CastMessage(source: .platformSender, destination: end, namespace: namespace, payload: payload)
        self.channel.send(message)
        if let trace = CommandTrace.current, self.channel.open != nil, message.isCommand { trace.sent() }
    }

    /// Asks for the status. The answer is read as any other status is, so no request waits for it.
    func askStatus() {
        self.send(
            ReceiverRequest.getStatus(requestID: self.counter.next()).payload, in: .receiver, to: .platformReceiver)
    }

    /// Stops every app, without waiting for an answer.
    func stopApps() {
        for app in self.apps {
            let stop = ReceiverRequest.stop(sessionID: app.sessionID, requestID: self.counter.next())
            self.send(stop.payload, in: .receiver, to: .platformReceiver)
        }
    }

    func ask(_ request: SessionRequest, app: AppID?, options: LaunchOptions) {
        let isLaunch = request == .launch
        let (id, _) = self.tracker.begin(
            .session(request), in: .receiver, at: .platformReceiver,
            timeout: isLaunch ? self.timeouts.launch : self.timeouts.answer, now: self.eventLoop.now)
        let message: ReceiverRequest? =
            switch request {
            case .status: .getStatus(requestID: id)
            case .launch: app.map { options.request(for: $0, requestID: id) }
            case .stop(let sessionID): .stop(sessionID: sessionID, requestID: id)
            }
        if let message { self.send(message.payload, in: .receiver, to: .platformReceiver) }
        self.watchRequests()
    }

    func cancelSessionRequests() {
        _ = self.tracker.cancel { if case .session = $0 { true } else { false } }
    }

    /// Asks the platform something, for a caller that waits.
    /// - Parameters:
    ///   - json: the request without its number.
    ///   - kind: of requests of this kind only the newest counts. While the answer to one is awaited, the newest waits to be sent.
    ///   - given: succeeds with what became of it; nothing is waited for any more when the caller completes it first.
    @discardableResult
    func call(
        _ json: JSONObject, in namespace: Namespace, kind: RequestTracker<PlatformTicket>.Kind? = nil,
        promise given: EventLoopPromise<RequestOutcome>? = nil
    ) -> EventLoopFuture<RequestOutcome> {
        let promise = given ?? self.eventLoop.makePromise(of: RequestOutcome.self)
        guard self.channel.isOnline, self.tracker.hasRoom else {
            let failure =
                self.channel.isOnline
                ? RequestError(.sendBufferFull, "too many requests wait for the device")
                : RequestError(.deviceNotConnected, "the device is out of reach")
            promise.succeed(.failed(failure))
            return promise.futureResult
        }
        let step = PlatformStep(
            request: json, namespace: namespace, command: PlatformCommand(json, in: namespace, after: self.status),
            promise: promise)
        if let kind, case .call(let waiting, _)? = self.tracker.ticket(of: kind) {
            // Its caller need not wait; what it asked for is on its way.
            waiting.succeed(.aborted(.replaced))
            self.steps.hold(step, of: kind, at: self.eventLoop.now)?.promise.succeed(.aborted(.replaced))
        } else {
            self.send(step, of: kind)
        }
        self.watchRequests()
        self.channel.flush()
        return promise.futureResult
    }

    private func send(_ step: PlatformStep, of kind: RequestTracker<PlatformTicket>.Kind?) {
        let (id, replaced) = self.tracker.begin(
            .call(step.promise, step.command), in: step.namespace, at: .platformReceiver, kind: kind,
            timeout: self.timeouts.answer, now: self.eventLoop.now)
        var json = step.request
        json["requestId"] = id.json
        CommandTrace.following(step.command.trace) { self.send(.json(json), in: step.namespace, to: .platformReceiver) }
        self.finish(replaced)
    }

    /// Sends the changes for which no answer is awaited any more.
    private func sendSteps() {
        let due = self.steps.takeDue(at: self.eventLoop.now) { self.tracker.ticket(of: $0) != nil }
        for (kind, step) in due { self.send(step, of: kind) }
        if let status, !self.isVolumeStale(in: status) { self.session?.volumeSettled(status) }
    }

    /// True if callers want another volume than a status tells: what it tells is on the way to that.
    func isVolumeStale(in status: ReceiverStatus) -> Bool {
        let wishes = PlatformStep.volumeKinds.compactMap { kind -> PlatformExpectation? in
            if let step = self.steps[kind] { return step.command.wish }
            guard case .call(_, let command)? = self.tracker.ticket(of: kind) else { return nil }
            return command.wish
        }
        return wishes.contains { !$0.isShown(by: status) }
    }

    /// Stops waiting for the answer to a call, whose caller has completed the promise.
    func forget(_ promise: EventLoopPromise<RequestOutcome>) {
        _ = self.tracker.cancel {
            if case .call(let other, _) = $0 { other.futureResult === promise.futureResult } else { false }
        }
        _ = self.steps.take { $0.promise.futureResult === promise.futureResult }
        self.sendSteps()
        self.watchRequests()
        self.channel.flush()
    }

    /// The caller's command that a message of the device answers; nil for any other message.
    func trace(answeredBy message: CastMessage) -> CommandTrace? {
        if message.source != .platformReceiver { return self.session?.media.trace(answeredBy: message) }
        guard self.isWaiting else { return nil }
        if let id = message.summary.requestID, case .call(_, let command)? = self.tracker.ticket(of: id) {
            return command.trace
        }
        guard message.isBroadcast, let isShown = self.shown(by: message) else { return nil }
        for case .call(_, let command) in self.tracker.tickets {
            if let trace = command.trace, let wish = command.wish, isShown(wish) { return trace }
        }
        return nil
    }

    /// Returns a check of which requests a status of the device, or of the members of a group, fulfils; nil for any other
    /// message.
    private func shown(by message: CastMessage) -> ((PlatformExpectation) -> Bool)? {
        if message.family == .receiver, let told = ReceiverStatusPayload(message.payload)?.status {
            let status = told.completed(by: self.status)
            return { $0.isShown(by: status) }
        }
        guard message.namespace == .multizone, let members = MultizonePayload(message.payload) else { return nil }
        return { $0.isShown(by: members) }
    }

    /// Takes what the platform says to Castway, or to all.
    func received(_ message: CastMessage) {
        guard let json = message.payload.jsonObject else { return }
        if message.family == .receiver, json.string("type") == LaunchStatus.type {
            let launch = LaunchStatus(json: json)
            if let state = launch.state { return self.receivedConsent(state, launch.launchRequestID) }
        }
        var ended = [self.tracker.received(json, in: message.namespace, from: message.source)].compactMap(\.self)
        if self.isWaiting, let isShown = self.shown(by: message) {
            ended += self.tracker.complete(json) { ticket in
                if case .call(_, let command) = ticket { command.wish.map(isShown) ?? false } else { false }
            }
        }
        guard !ended.isEmpty else { return }
        self.finish(ended)
        self.sendSteps()
        self.watchRequests()
    }

    private func receivedConsent(_ state: LaunchStatus.State, _ id: RequestID?) {
        let until = self.eventLoop.now + TimeAmount(self.timeouts.consent)
        guard let id, self.tracker.extend(id, to: until) else { return }
        self.watchRequests()
        self.session?.consent(state)
    }

    /// The channel is gone, and with it every answer. The session hears of the loss by itself: it may outlive it.
    func failRequests() {
        self.timer.cancel()
        self.cancelSessionRequests()
        self.finish(self.tracker.failAll(RequestError(.disconnected, "the device was lost before it answered")))
        for step in self.steps.take() {
            step.promise.succeed(.failed(RequestError(.deviceNotConnected, "the device is out of reach")))
        }
    }

    private func watchRequests() {
        guard let deadline = [self.tracker.nextDeadline, self.steps.nextDeadline].compactMap(\.self).min() else {
            return self.timer.cancel()
        }
        guard self.timer.deadline != deadline else { return }
        self.timer.set(until: deadline) {
            self.finish(self.tracker.expire(at: self.eventLoop.now))
            self.sendSteps()
            self.watchRequests()
            self.channel.flush()
        }
    }

    private func finish(_ ended: [RequestTracker<PlatformTicket>.Ended]) {
        for request in ended {
            switch request.ticket {
            case .session(let step): self.session?.answered(step, request.outcome)
            case .call(let promise, _): promise.succeed(request.outcome)
            }
        }
    }

    // MARK: Which apps the device has (protocol notes, 5.3)

    /// Asks for these apps from now on, whenever the device comes online.
    func want(_ apps: [AppID]) {
        guard apps != self.wantedApps else { return }
        self.wantedApps = apps
        self.askForWantedApps()
    }

    /// Asks once for the wanted apps: a device that does not answer is asked again when it comes online the next time.
    func askForWantedApps() {
        guard self.channel.isOnline, !self.wantedApps.isEmpty else { return }
        _ = self.availability(of: self.wantedApps)
    }

    /// Asks whether the device has some apps, and reports each answer.
    /// - Returns: what it says of each; nothing of those that it does not mention.
    func availability(of apps: [AppID]) -> EventLoopFuture<Result<[AppID: Bool], RequestError>> {
        let request = ReceiverRequest.getAppAvailability(of: apps, requestID: .spontaneous)
        return self.call(request.json, in: .receiver).assumeIsolated().map { outcome in
            do throws(RequestError) {
                let answer = AppAvailability(json: try outcome.get())
                var known: [AppID: Bool] = [:]
                for app in apps {
                    guard let isAvailable = answer.isAvailable(app) else { continue }
                    known[app] = isAvailable
                    self.onAvailability?(app, isAvailable)
                }
                return .success(known)
            } catch {
                return .failure(error)
            }
        }.nonisolated()
    }
}

extension ReceiverApplication {
    /// The app's facts for handlers; nil when the device leaves out what makes a session.
    fileprivate var facts: SessionFacts? {
        guard let appID = self.appID, let sessionID = self.sessionID, let transportID = self.transportID
        else { return nil }
        return SessionFacts(
            appID: appID, universalAppID: self.universalAppID, appType: self.appType, sessionID: sessionID,
            transportID: transportID, displayName: self.displayName ?? "", namespaces: self.namespaces)
    }
}
