import CastWire
import NIOCore

/// A media client without its transport: what it knows, what it waits for, and what follows from what happens.
///
/// Holds no channel and no timer: instants are passed in, its owner does what it is told and calls ``expire(at:)`` at
/// ``nextDeadline``.
struct MediaClientState: Sendable {
    /// What the owner does.
    enum Action: Hashable, Sendable {
        /// Sends a message to the app in ``Namespace/media``.
        case send(CastMessage.Payload)
        /// Tells the subscribers.
        case emit(MediaEvent)
        /// Tells the caller of a command.
        case finish(ticket: Int, RequestOutcome)
    }

    /// A command on its way, and what it is tried with.
    struct Trial: Sendable {
        let ticket: Int
        let command: MediaCommand
        /// The media session that was there when it was sent.
        let mediaSessionID: Int?
        /// The medium of a LOAD.
        var contentID: String?
        var isRetry = false
    }

    /// What a request is for.
    enum Purpose: Sendable {
        case command(Trial)
        /// A GET_STATUS of the client's own; what to try again when it is answered.
        case refresh(Trial?)
        case queueIDs
        case queueItems([Int])
    }

    enum Phase: Sendable {
        case detached
        case attached
        /// The channel is gone and expected back.
        case suspended
    }

    /// Audible answers an early GET_STATUS with an error (protocol notes, quirk 13).
    private static let slowStarter: AppID = "25456794"
    private static let slowStart = Duration.seconds(1)
    private static let waitingLimit = 64
    /// Leaves room for the ids and the namespace beside the payload.
    private static let payloadLimit = CastMessage.maximumBodyLength - 1024

    let options: MediaClientOptions
    private let loads: (any LoadCompletion)?
    private(set) var phase = Phase.detached
    var model = MediaStatusModel()
    var tracker: RequestTracker<Purpose>
    var queue: MediaQueue
    var followsQueue = false
    var areQueueIDsOutdated = false
    var queueFetchDue: NIODeadline?
    private var settled = SettledPlayerState()
    private var pace: StatusPace
    private var greetingDue: NIODeadline?
    /// False until the app has told of its status, or failed to.
    private var knowsStatus = false
    /// Commands that wait for the first status.
    private var waiting: [(ticket: Int, command: MediaCommand)] = []
    private var toldEnd: Int?
    var actions: [Action] = []

    init(counter: RequestCounter, options: MediaClientOptions, loads: (any LoadCompletion)? = nil) {
        self.loads = loads
        self.options = options
        self.tracker = RequestTracker(counter: counter)
        self.queue = MediaQueue(cacheSize: options.queueCacheSize)
        self.pace = StatusPace(interval: options.statusInterval)
    }

    /// What is known now.
    var snapshot: MediaSnapshot { self.model.snapshot }

    private var resolver: MediaCommandResolver {
        MediaCommandResolver(snapshot: self.snapshot, options: self.options, loads: self.loads)
    }

    /// When to call ``expire(at:)``.
    var nextDeadline: NIODeadline? {
        [
            self.tracker.nextDeadline, self.greetingDue, self.queueFetchDue, self.settled.deadline,
            self.pace.deadline,
        ].compactMap(\.self).min()
    }

    var endpoint: EndpointID { self.snapshot.app?.transportID ?? "" }

    // MARK: The connection

    /// An app is connected, or is connected again.
    ///
    /// What is known is kept when its session is the one that was suspended.
    mutating func attached(_ app: ReceiverApplication, at now: NIODeadline) -> [Action] {
        let old = self.snapshot.app
        let isSame = self.phase != .detached && old?.sessionID != nil && old?.sessionID == app.sessionID
        let isAvailable = app.namespaces.contains(.media)
        self.end(self.tracker.failAll(RequestError(.networkError, "the connection was opened anew")), at: now)
        if !isSame { self.leave(at: now) }
        self.phase = .attached
        self.model.setApp(app, isAvailable: isAvailable)
        self.actions.append(.emit(.availability(isAvailable)))
        self.knowsStatus = !isAvailable
        self.greetingDue = nil
        self.queueFetchDue = nil
        if isAvailable {
            if app.matches(Self.slowStarter) {
                self.greetingDue = now + TimeAmount(Self.slowStart)
            } else {
                self.refresh(nil, at: now)
            }
        }
        return self.takeActions()
    }

    /// The channel is gone; it may come back with the same app.
    mutating func suspended(at now: NIODeadline) -> [Action] {
        guard self.phase == .attached else { return [] }
        self.phase = .suspended
        self.greetingDue = nil
        self.queueFetchDue = nil
        self.model.setApp(self.snapshot.app, isAvailable: false)
        self.failEverything(RequestError(.networkError, "the connection to the device was lost"), at: now)
        self.actions.append(.emit(.availability(false)))
        return self.takeActions()
    }

    /// The app is gone: what it said is no more, except how it ended.
    mutating func detached(at now: NIODeadline) -> [Action] {
        guard self.phase != .detached else { return [] }
        self.phase = .detached
        self.greetingDue = nil
        self.queueFetchDue = nil
        self.failEverything(RequestError(.applicationNotRunning, "the app is gone"), at: now)
        self.model.setApp(nil, isAvailable: false)
        self.leave(at: now)
        self.actions.append(.emit(.availability(false)))
        return self.takeActions()
    }

    private mutating func failEverything(_ error: RequestError, at now: NIODeadline) {
        for command in self.waiting { self.actions.append(.finish(ticket: command.ticket, .failed(error))) }
        self.waiting = []
        self.end(self.tracker.failAll(error), at: now)
    }

    private mutating func leave(at now: NIODeadline) {
        let hadStatus = self.snapshot.status != nil
        let change = self.model.leave(at: now)
        self.tell(change, isStatus: false, at: now)
        if hadStatus {
            self.pace.tell(at: now)
            self.actions.append(.emit(.status(self.snapshot)))
        }
    }

    // MARK: Commands

    /// Asks the app for something.
    mutating func perform(_ command: MediaCommand, ticket: Int, at now: NIODeadline) -> [Action] {
        if let error = self.obstacle {
            self.actions.append(.finish(ticket: ticket, .failed(error)))
        } else if !self.knowsStatus, command.session != .none || command.form != .plain, !command.isLoad {
            if self.waiting.count < Self.waitingLimit {
                self.waiting.append((ticket, command))
            } else {
                let error = RequestError(.sendBufferFull, "too many commands wait for the app")
                self.actions.append(.finish(ticket: ticket, .failed(error)))
            }
        } else {
            self.send(command, ticket: ticket, isRetry: false, at: now)
        }
        return self.takeActions()
    }

    /// Stops waiting for a command; the app may carry it out all the same.
    mutating func cancel(ticket: Int, at now: NIODeadline) -> [Action] {
        if let index = self.waiting.firstIndex(where: { $0.ticket == ticket }) {
            self.waiting.remove(at: index)
            self.actions.append(.finish(ticket: ticket, .aborted(.cancelled)))
        }
        self.end(
            self.tracker.cancel { purpose in
                switch purpose {
                case .command(let trial), .refresh(.some(let trial)): trial.ticket == ticket
                case .refresh(nil), .queueIDs, .queueItems: false
                }
            }, at: now)
        return self.takeActions()
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

    mutating func send(_ command: MediaCommand, ticket: Int, isRetry: Bool, at now: NIODeadline) {
        do {
            guard let message = try self.resolver.message(of: command, at: now) else {
                self.actions.append(.finish(ticket: ticket, .completed(JSONObject())))
                return
            }
            var trial = Trial(
                ticket: ticket, command: command, mediaSessionID: self.snapshot.mediaSessionID, isRetry: isRetry)
            if command.type == .load || message.type == .load {
                trial.contentID = message.json.object("media").map { MediaInformation(json: $0) }?.contentID
            }
            let isLoad = command.isLoad || message.type == .load
            let timeout =
                command.timeout ?? (isLoad ? self.options.loadTimeout : self.options.answerTimeout)
            try self.send(
                message, for: .command(trial), replacing: isLoad ? "LOAD" : command.replacementName,
                timeout: timeout, at: now)
        } catch {
            self.actions.append(.finish(ticket: ticket, .failed(error)))
        }
    }

    /// Numbers and sends a request.
    mutating func send(
        _ message: MediaRequest, for purpose: Purpose, replacing name: String? = nil, timeout: Duration,
        at now: NIODeadline
    ) throws(RequestError) {
        guard self.tracker.hasRoom else {
            throw RequestError(.sendBufferFull, "too many requests wait for answers")
        }
        guard CastMessage.Payload.json(message.json).bytes.readableBytes <= Self.payloadLimit else {
            throw RequestError(.messageTooBig, "the message does not fit into a frame")
        }
        let kind = name.map { RequestTracker<Purpose>.Kind($0, target: self.endpoint.rawValue) }
        let (id, replaced) = self.tracker.begin(
            purpose, in: .media, at: self.endpoint, kind: kind, timeout: timeout, now: now)
        self.end(replaced, at: now)
        var message = message
        message.json["requestId"] = id.json
        self.actions.append(.send(.json(message.json)))
    }

    mutating func refresh(_ trial: Trial?, at now: NIODeadline) {
        var request = MediaRequest()
        request.type = .getStatus
        do {
            try self.send(request, for: .refresh(trial), timeout: self.options.answerTimeout, at: now)
        } catch {
            if let trial { self.actions.append(.finish(ticket: trial.ticket, .failed(error))) }
        }
    }

    // MARK: Time

    /// Does what is due.
    mutating func expire(at now: NIODeadline) -> [Action] {
        self.end(self.tracker.expire(at: now), at: now)
        if let greetingDue, now >= greetingDue {
            self.greetingDue = nil
            self.refresh(nil, at: now)
        }
        if let queueFetchDue, now >= queueFetchDue {
            self.queueFetchDue = nil
            self.fetchWantedItems(at: now)
        }
        if self.settled.expire(at: now) { self.tellSettled() }
        if self.pace.expire(at: now) { self.actions.append(.emit(.status(self.snapshot))) }
        return self.takeActions()
    }

    // MARK: Telling

    /// The app told of its status, or will not: what waited for it goes on.
    mutating func learnedStatus(at now: NIODeadline) {
        guard !self.knowsStatus else { return }
        self.knowsStatus = true
        let waiting = self.waiting
        self.waiting = []
        for command in waiting { self.send(command.command, ticket: command.ticket, isRetry: false, at: now) }
    }

    /// Tells the subscribers what changed.
    mutating func tell(_ change: MediaStatusModel.Change, isStatus: Bool, at now: NIODeadline) {
        if let left = change.leftSession { self.tellEnd(of: left, reason: self.snapshot.lastKnown?.idleReason) }
        if let session = change.startedSession {
            self.toldEnd = nil
            self.actions.append(.emit(.sessionStarted(session)))
        }
        if change.leftSession != nil || change.startedSession != nil { self.queueBelongsToOtherSession(at: now) }
        if change.isOtherMedia { self.actions.append(.emit(.metadata(self.snapshot.media))) }
        if change.isOtherPreload {
            self.actions.append(.emit(.preload(itemID: self.snapshot.preloadedItemID)))
        }
        let isOtherState = self.settled.observe(self.snapshot, delay: self.options.idleDelay, at: now)
        if isOtherState { self.tellSettled() }
        if isStatus, self.pace.changed(at: now) { self.actions.append(.emit(.status(self.snapshot))) }
    }

    private mutating func tellSettled() {
        self.model.setSettled(self.settled.state)
        self.actions.append(.emit(.settled(self.settled.state)))
        if self.settled.state == .idle, let session = self.snapshot.mediaSessionID {
            self.tellEnd(of: session, reason: self.snapshot.idleReason)
        }
    }

    private mutating func tellEnd(of session: Int, reason: IdleReason?) {
        guard self.toldEnd != session else { return }
        self.toldEnd = session
        self.actions.append(.emit(.sessionEnded(session, reason: reason)))
    }

    mutating func takeActions() -> [Action] {
        defer { self.actions = [] }
        return self.actions
    }
}
