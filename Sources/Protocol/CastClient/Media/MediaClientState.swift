import CastWire
import NIOCore

/// A media client without its transport: what it knows, what it waits for, and what follows from what happens.
///
/// Holds no channel and no timer: instants are passed in, its owner does what it is told and calls ``expire(at:)`` at
/// ``nextDeadline``. It decides which app is there, and which command is sent when; ``PlaybackReport`` knows the status,
/// ``FollowedQueue`` the queue, and ``MediaOutbox`` what waits for an answer.
struct MediaClientState: Sendable {
    /// What the owner does.
    enum Action: Hashable, Sendable {
        /// Sends a message to the app in ``Namespace/media``.
        /// - Parameter ticket: the command that it carries out; nil for a question.
        case send(CastMessage.Payload, ticket: Int?)
        /// Tells the subscribers.
        case emit(MediaEvent)
        /// Tells the caller of a command.
        case finish(ticket: Int, RequestOutcome)
    }

    private enum Phase {
        case detached
        case attached
        /// The channel is gone and expected back.
        case suspended
    }

    /// Audible answers an early GET_STATUS with an error (protocol notes, quirk 13).
    private static let slowStarter: AppID = "25456794"
    private static let slowStart = Duration.seconds(1)
    private static let waitingLimit = 64

    private var options: MediaClientOptions
    private let loads: (any LoadCompletion)?
    private var phase = Phase.detached
    private var report: PlaybackReport
    private var followedQueue: FollowedQueue
    private var outbox: MediaOutbox
    private var greetingDue: NIODeadline?
    /// False until the app has told of its status, or failed to.
    private var knowsStatus = false
    /// Commands that wait for the first status.
    private var waiting: [(ticket: Int, command: MediaCommand)] = []

    init(counter: RequestCounter, options: MediaClientOptions, loads: (any LoadCompletion)? = nil) {
        self.loads = loads
        self.options = options
        self.report = PlaybackReport(options)
        self.followedQueue = FollowedQueue(options)
        self.outbox = MediaOutbox(counter: counter, answerTimeout: options.answerTimeout)
    }

    /// Takes how long answers and loads may take, from the next request on.
    mutating func follow(_ options: MediaClientOptions) {
        self.options.answerTimeout = options.answerTimeout
        self.options.loadTimeout = options.loadTimeout
        self.outbox.answerTimeout = options.answerTimeout
    }

    /// What is known now.
    var snapshot: MediaSnapshot { self.report.snapshot }

    /// The queue as far as it is known.
    var queue: MediaQueue { self.followedQueue.queue }

    /// Whether a status that has changed is told later.
    var isStatusHeld: Bool { self.report.isStatusHeld }

    /// How many requests wait for their answers.
    var requestCount: Int { self.outbox.requestCount }
    /// The app that is spoken with; empty when there is none.
    var endpoint: EndpointID { self.outbox.endpoint }

    /// The media session that can be asked for something.
    private var session: Int? { self.phase == .attached ? self.snapshot.mediaSessionID : nil }

    private var resolver: MediaCommandResolver {
        MediaCommandResolver(snapshot: self.snapshot, options: self.options, loads: self.loads)
    }

    /// When to call ``expire(at:)``.
    var nextDeadline: NIODeadline? {
        [self.outbox.nextDeadline, self.greetingDue, self.followedQueue.deadline, self.report.nextDeadline]
            .compactMap(\.self).min()
    }

    // MARK: The connection

    /// An app is connected, or is connected again.
    ///
    /// What is known is kept when its session is the one that was suspended.
    mutating func attached(_ app: ReceiverApplication, at now: NIODeadline) -> [Action] {
        let old = self.snapshot.app
        let isSame = self.phase != .detached && old?.sessionID != nil && old?.sessionID == app.sessionID
        let isAvailable = app.namespaces.contains(.media)
        self.end(self.outbox.failAll(RequestError(.networkError, "the connection was opened anew")), at: now)
        if !isSame {
            self.leave(at: now)
            self.followedQueue.belongsToOtherApp()
        }
        self.phase = .attached
        self.setApp(app, isAvailable: isAvailable)
        self.outbox.emit(.availability(isAvailable))
        self.knowsStatus = !isAvailable
        self.askNothing()
        if isAvailable {
            if app.matches(Self.slowStarter) {
                self.greetingDue = now + TimeAmount(Self.slowStart)
            } else {
                self.refresh(nil, at: now)
            }
        }
        return self.outbox.takeActions()
    }

    /// The channel is gone; it may come back with the same app.
    mutating func suspended(at now: NIODeadline) -> [Action] {
        guard self.phase == .attached else { return [] }
        self.phase = .suspended
        self.askNothing()
        self.setApp(self.snapshot.app, isAvailable: false)
        self.failEverything(
            RequestError(.networkError, "the connection to the device was lost"),
            unsent: RequestError(.channelNotConnected, "the device is out of reach"), at: now)
        self.outbox.emit(.availability(false))
        return self.outbox.takeActions()
    }

    /// The app is gone: what it said is no more, except how it ended.
    mutating func detached(at now: NIODeadline) -> [Action] {
        guard self.phase != .detached else { return [] }
        self.phase = .detached
        self.askNothing()
        self.failEverything(
            RequestError(.disconnected, "the app was gone before it answered"),
            unsent: RequestError(.applicationNotRunning, "the app is gone"), at: now)
        self.setApp(nil, isAvailable: false)
        self.leave(at: now)
        self.outbox.emit(.availability(false))
        return self.outbox.takeActions()
    }

    private mutating func setApp(_ app: ReceiverApplication?, isAvailable: Bool) {
        self.report.setApp(app, isAvailable: isAvailable)
        self.outbox.endpoint = app?.transportID ?? ""
    }

    /// Nothing is asked for by itself any more.
    private mutating func askNothing() {
        self.greetingDue = nil
        self.followedQueue.suspend()
    }

    /// - Parameter unsent: why commands fail that were not sent; nil when that is the same.
    private mutating func failEverything(
        _ error: RequestError, unsent: RequestError? = nil, at now: NIODeadline
    ) {
        for command in self.waiting { self.outbox.finish(command.ticket, .failed(unsent ?? error)) }
        self.waiting = []
        self.end(self.outbox.failAll(error), at: now)
    }

    private mutating func leave(at now: NIODeadline) {
        let hadStatus = self.snapshot.status != nil
        self.tell(self.report.leave(at: now), at: now)
        if hadStatus { self.report.tellStatusAtOnce(at: now, &self.outbox) }
    }

    // MARK: Commands

    /// Asks the app for something.
    mutating func perform(_ command: MediaCommand, ticket: Int, at now: NIODeadline) -> [Action] {
        if let error = self.obstacle {
            self.outbox.finish(ticket, .failed(error))
        } else if !self.knowsStatus, command.session != .none || command.form != .plain, !command.isLoad {
            if self.waiting.count < Self.waitingLimit {
                self.waiting.append((ticket, command))
            } else {
                let error = RequestError(.sendBufferFull, "too many commands wait for the app")
                self.outbox.finish(ticket, .failed(error))
            }
        } else {
            self.send(command, ticket: ticket, isRetry: false, at: now)
        }
        return self.outbox.takeActions()
    }

    /// Stops waiting for a command; the app may carry it out all the same.
    mutating func cancel(ticket: Int, at now: NIODeadline) -> [Action] {
        if let index = self.waiting.firstIndex(where: { $0.ticket == ticket }) {
            self.waiting.remove(at: index)
            self.outbox.finish(ticket, .aborted(.cancelled))
        }
        self.end(self.outbox.cancel(ticket), at: now)
        return self.outbox.takeActions()
    }

    /// Why nothing can be asked for now.
    private var obstacle: RequestError? {
        switch self.phase {
        case .detached: RequestError(.applicationNotRunning, "no app is connected")
        case .suspended: RequestError(.channelNotConnected, "the device is out of reach")
        case .attached:
            self.snapshot.isAvailable ? nil : RequestError(.unsupportedFeature, "the app plays no media")
        }
    }

    private mutating func send(_ command: MediaCommand, ticket: Int, isRetry: Bool, at now: NIODeadline) {
        do {
            guard let message = try self.resolver.message(of: command, at: now) else {
                self.outbox.finish(ticket, .completed(JSONObject()))
                return
            }
            let parts = try MediaMessageParts(message.json)
            try self.send(parts.first, of: parts, for: command, ticket: ticket, isRetry: isRetry, at: now)
        } catch {
            self.outbox.finish(ticket, .failed(error))
        }
    }

    private mutating func send(
        _ json: JSONObject, of parts: MediaMessageParts, for command: MediaCommand, ticket: Int, isRetry: Bool,
        at now: NIODeadline
    ) throws(RequestError) {
        let message = MediaRequest(json: json)
        let trial = MediaTrial(
            ticket: ticket, command: command, request: message, before: self.snapshot, sentAt: now, isRetry: isRetry,
            parts: parts)
        let isLoad = command.isLoad || message.type == .load
        let (payload, replaced) = try self.outbox.begin(
            message, for: .command(trial), replacing: isLoad ? "LOAD" : command.replacementName,
            timeout: command.timeout ?? (isLoad ? self.options.loadTimeout : nil), at: now)
        self.end(replaced, at: now)
        self.outbox.send(payload, for: ticket)
    }

    /// Sends the next part of a command, or tells the caller what became of all.
    private mutating func finish(_ trial: MediaTrial, _ outcome: RequestOutcome, at now: NIODeadline) {
        var parts = trial.parts
        do {
            guard outcome.isCompleted, let next = try parts.next(after: self.snapshot) else {
                return self.outbox.finish(trial.ticket, trial.parts.outcome(outcome))
            }
            try self.send(next, of: parts, for: trial.command, ticket: trial.ticket, isRetry: true, at: now)
        } catch {
            self.outbox.finish(trial.ticket, .failed(error))
        }
    }

    private mutating func refresh(_ trial: MediaTrial?, at now: NIODeadline) {
        var request = MediaRequest()
        request.type = .getStatus
        do {
            try self.outbox.ask(request, for: .refresh(trial), at: now)
        } catch {
            if let trial { self.outbox.finish(trial.ticket, .failed(error)) }
        }
    }

    // MARK: The queue

    /// Keeps the ids of all items up to date from now on.
    mutating func followQueue(at now: NIODeadline) -> [Action] {
        self.followedQueue.follow(self.session, at: now, &self.outbox)
        return self.outbox.takeActions()
    }

    /// Forgets what is known of the queue and asks for it anew.
    mutating func reloadQueue(at now: NIODeadline) -> [Action] {
        self.followedQueue.reload(self.session, at: now, &self.outbox)
        return self.outbox.takeActions()
    }

    /// Wishes for items by their places; several wishes become one request.
    mutating func wantQueueItems(_ indices: [Int], at now: NIODeadline) -> [Action] {
        self.followedQueue.want(indices, at: now, self.outbox)
        return self.outbox.takeActions()
    }

    /// The queue items among some that are known; they count as used.
    mutating func useQueueItems(_ ids: [Int]) -> [Int: QueueItem] { self.followedQueue.use(ids) }

    /// Forgets the queue items: they, and the ids, are asked for when they are needed.
    mutating func forgetQueueItems() { self.followedQueue.forgetItems() }

    // MARK: Time

    /// Does what is due.
    mutating func expire(at now: NIODeadline) -> [Action] {
        self.end(self.outbox.expire(at: now), at: now)
        if let greetingDue, now >= greetingDue {
            self.greetingDue = nil
            self.refresh(nil, at: now)
        }
        self.followedQueue.expire(self.session, at: now, &self.outbox)
        self.report.expire(at: now, &self.outbox)
        return self.outbox.takeActions()
    }

    // MARK: What the app says

    /// The command that a message of the app's answers; nil for any other message.
    func ticket(answeredBy payload: CastMessage.Payload) -> Int? { self.outbox.ticket(answeredBy: payload) }

    /// Takes a message of the app's in ``Namespace/media``.
    mutating func received(_ payload: CastMessage.Payload, at now: NIODeadline) -> [Action] {
        guard self.phase == .attached, let json = payload.jsonObject else { return [] }
        let ended = self.outbox.received(json)
        switch json.string("type").map(MediaResponseType.init(rawValue:)) {
        case .mediaStatus?:
            self.received(status: json, answering: ended?.ticket, at: now)
        case .queueItemIDs?:
            self.followedQueue.received(ids: json, items: self.snapshot.status?.items, &self.outbox)
            self.end(self.outbox.complete(json, .queueItemIDs), at: now)
        case .queueItems?:
            self.followedQueue.received(items: MediaRequest(json: json).items ?? [], &self.outbox)
            self.end(self.outbox.complete(json, .queueItems), at: now)
        case .queueChange?:
            let change = QueueChange(json: json)
            self.followedQueue.received(change, of: self.session, at: now, &self.outbox)
            self.end(self.outbox.complete(json, .queueChange) { $0.isShown(by: change) }, at: now)
        case .error?, .loadFailed?:
            // Runtime errors bear no number (protocol notes, quirk 23), and a load may fail after its request ended.
            if ended == nil, let error = RequestError(reply: json) { self.outbox.emit(.error(error)) }
        case .sessionState?: self.end(self.outbox.complete(json, .sessionState), at: now)
        case .invalidRequest?, .invalidPlayerState?, .loadCancelled?: break
        default:
            if ended == nil { self.outbox.emit(.message(json)) }
        }
        if let ended { self.end([ended], at: now) }
        return self.outbox.takeActions()
    }

    private mutating func received(
        status json: JSONObject, answering purpose: MediaOutbox.Purpose?, at now: NIODeadline
    ) {
        // What says nothing changes nothing, though it may be an answer.
        guard let elements = MediaStatus.elements(of: json) else { return self.learnedStatus(at: now) }
        var omission: MediaCommand.StatusOmission = []
        if case .command(let trial)? = purpose, trial.command.type == .getStatus {
            omission = .init(rawValue: MediaRequest(json: trial.command.body).options ?? 0)
        }
        let change = self.report.received(elements, leavingOut: omission, at: now)
        if let items = self.snapshot.status?.items {
            self.followedQueue.received(statusItems: items, &self.outbox)
        }
        self.tell(change, at: now)
        self.followedQueue.received(self.snapshot.status, of: self.session, at: now, &self.outbox)
        self.report.tellStatus(at: now, &self.outbox)
        let snapshot = self.snapshot
        self.end(self.outbox.complete(json, .mediaStatus) { $0.isShown(by: snapshot, at: now) }, at: now)
        self.learnedStatus(at: now)
    }

    /// The app told of its status, or will not: what waited for it goes on.
    private mutating func learnedStatus(at now: NIODeadline) {
        guard !self.knowsStatus else { return }
        self.knowsStatus = true
        let waiting = self.waiting
        self.waiting = []
        for command in waiting { self.send(command.command, ticket: command.ticket, isRetry: false, at: now) }
    }

    /// Tells the subscribers what changed.
    private mutating func tell(_ change: MediaStatusModel.Change, at now: NIODeadline) {
        self.report.tellSessions(change, &self.outbox)
        if change.leftSession != nil || change.startedSession != nil {
            self.followedQueue.belongsToOther(self.session, at: now, &self.outbox)
        }
        self.report.tellMedia(change, at: now, &self.outbox)
    }

    // MARK: The end of requests

    /// Tells the callers, or tries once more.
    private mutating func end(_ ended: [MediaOutbox.Ended], at now: NIODeadline) {
        for request in ended {
            let outcome = request.outcome
            switch request.ticket {
            case .command(let trial):
                if trial.command.changesQueue { self.followedQueue.changedByCommand() }
                self.take(trial.step(after: outcome, mayRefresh: self.phase == .attached), of: trial, at: now)
            case .refresh(let trial?):
                self.take(
                    trial.step(afterRefresh: outcome, session: self.snapshot.mediaSessionID), of: trial, at: now)
            case .refresh(nil): self.learnedStatus(at: now)
            case .queueIDs: self.followedQueue.endedIDs(outcome, of: self.session, at: now, &self.outbox)
            case .queueItems(let ids): self.followedQueue.endedItems(ids, outcome, at: now, self.outbox)
            }
        }
    }

    private mutating func take(_ step: MediaTrial.Step, of trial: MediaTrial, at now: NIODeadline) {
        switch step {
        case .finish(let outcome): self.finish(trial, outcome, at: now)
        case .refresh: self.refresh(trial, at: now)
        case .retry: self.send(trial.command, ticket: trial.ticket, isRetry: true, at: now)
        }
    }
}
