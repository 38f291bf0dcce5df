import CastWire
import NIOCore

/// The media half of the built-in receiver: it answers the media namespace as the default receiver of a Chromecast
/// does, without fetching or playing anything (protocol notes, 6).
///
/// One player lives as long as its app runs. It owns what outlives a media session and says what senders hear; what is
/// loaded belongs to ``PlayerSession``. It holds no clock: instants come in with requests and with
/// ``timerFired(at:)``, which its owner calls at ``nextDeadline``. What was due before an instant happens first, at
/// its own time: `advance(to:)` processes one event after the other until none is due.
struct SimulatedPlayer {
    /// A message to send or a text to show, in this order.
    enum Action: Equatable {
        /// To one sender, on its virtual connection.
        case reply(JSONObject, to: EndpointID)
        /// To all senders that are connected to the app, `*`.
        case broadcast(JSONObject)
        /// The title of what plays now; empty when nothing does, or it has none.
        case statusText(String)
        /// To the provider of the queue; its answer carries the token.
        case ask(QueueQuestion, token: Int)
    }

    /// More is done in the next call, so that nothing keeps the event loop for long.
    private static let maximumEvents = 256

    let setup: PlayerSession.Setup
    /// The volume of the stream, which outlives what is loaded.
    var volume = MediaVolume()
    var seed: QueueSeed
    var session: PlayerSession?
    /// The load that PLAY_AGAIN repeats when nothing is loaded.
    private var lastPlan: LoadPlan?
    var nextMediaSessionID = 1
    var outbox: [Action] = []
    /// The questions to the provider of the queue; nil without one.
    var provision: QueueProvision?
    private var shownText = ""

    /// A player with nothing loaded.
    /// - Parameters:
    ///   - volume: the volume of the stream at first, level 0 to 1.
    ///   - shuffleSeed: what the order of mixed queues follows from.
    ///   - queue: where the items of its queues come from.
    ///   - takesAddressesOnly: whether media are named by their address alone.
    init(
        options: SimulationOptions, volume: Double = 1, muted: Bool = false, shuffleSeed: UInt64 = 0,
        queue: VirtualQueueConfiguration = VirtualQueueConfiguration(), takesAddressesOnly: Bool = false
    ) {
        self.setup = PlayerSession.Setup(
            options: options, takesAddressesOnly: takesAddressesOnly, statusLimit: queue.statusLimit)
        self.provision = queue.provider == nil ? nil : QueueProvision()
        self.volume.level = min(max(volume, 0), 1)
        self.volume.isMuted = muted
        self.seed = QueueSeed(generator: ShuffleGenerator(seed: shuffleSeed))
    }

    /// True when something is loaded, or being loaded.
    var isActive: Bool { self.session != nil || self.waitsForLoad }

    /// The time when something will happen by itself; nil when nothing will.
    var nextDeadline: NIODeadline? { self.session?.nextEvent?.instant }

    /// Carries out a request of the media namespace.
    mutating func handle(_ payload: JSONObject, from sender: EndpointID, at now: NIODeadline) -> [Action] {
        self.advance(to: now)
        let request = PlayerRequest(payload, from: sender)
        do {
            try self.perform(request, at: now)
        } catch {
            self.session?.queueChanges = []
            self.refuse(request, error)
        }
        self.advance(to: now)
        return self.drain()
    }

    /// Does what was due; nothing when it is too early.
    mutating func timerFired(at now: NIODeadline) -> [Action] {
        self.advance(to: now)
        return self.drain()
    }

    /// Lets something happen to what is loaded, with no sender that asked for it.
    /// - Parameter change: what happens; false when it cannot happen now.
    /// - Returns: nil when nothing is loaded, or when it cannot happen.
    mutating func simulate(
        at now: NIODeadline, _ change: (inout SimulatedPlayer, inout PlayerSession) -> Bool
    ) -> [Action]? {
        self.advance(to: now)
        guard self.withSession(change) == true else { return nil }
        self.advance(to: now)
        return self.drain()
    }

    mutating func advance(to now: NIODeadline) {
        for _ in 0..<Self.maximumEvents {
            guard let event = self.session?.nextEvent, event.instant <= now else { return }
            self.withSession { $0.process(event, &$1) }
        }
    }

    mutating func drain() -> [Action] {
        self.askForMore()
        let text = self.currentText
        if text != self.shownText {
            self.shownText = text
            self.outbox.append(.statusText(text))
        }
        defer { self.outbox = [] }
        return self.outbox
    }

    /// Changes the player and what is loaded, which is dropped when it ends by that.
    /// - Returns: nil when nothing is loaded.
    @discardableResult
    mutating func withSession<Value, Failure: Error>(
        _ change: (inout SimulatedPlayer, inout PlayerSession) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard var session = self.session else { return nil }
        self.session = nil
        defer {
            self.seed = session.queue.seed
            self.session = session.ending == nil ? session : nil
        }
        return try change(&self, &session)
    }

    /// The title of what plays. What loads has none yet, but another item of the same queue keeps the old one.
    private var currentText: String {
        guard let session else { return "" }
        guard !session.isLoading else { return session.previousItemEnd == nil ? "" : self.shownText }
        return session.media.information.metadata?.title ?? ""
    }

    // MARK: Requests

    private mutating func perform(_ request: PlayerRequest, at now: NIODeadline) throws(PlayerRefusal) {
        guard let type = request.type else { throw .invalid(.invalidCommand) }
        switch type {
        case .load, .loadByEntity, .queueLoad, .resumeSession:
            self.load(try LoadPlan(request), for: request, at: now)
        case .getStatus: self.answerStatus(request, at: now)
        case .playAgain where self.session == nil:
            guard var plan = self.lastPlan else { throw .invalidState }
            plan.startTime = 0
            plan.autoplay = true
            self.begin(plan, for: request, at: now)
        case _ where MediaRequestType.acknowledged.contains(type):
            try request.checkAcknowledged()
            self.replyStatus(self.session, to: request, at: now)
        case _ where MediaRequestType.aboutSession.contains(type):
            try self.performOnSession(request, type, at: now)
        default: throw .invalid(.invalidCommand)
        }
    }

    private mutating func performOnSession(
        _ request: PlayerRequest, _ type: MediaRequestType, at now: NIODeadline
    ) throws(PlayerRefusal) {
        let named = request.message.mediaSessionID
        guard let session = self.session else {
            // A sender that stops what has just ended hears that its media session is gone (protocol notes, quirk 18).
            throw type == .stop && named != nil ? .invalid(.invalidMediaSessionID) : .invalidState
        }
        let mustName = MediaRequestType.withMediaSessionID.contains(type) || request.has("mediaSessionId")
        guard !mustName || named == session.id else { throw .invalid(.invalidMediaSessionID) }
        try self.setup.options.checkSupported(request, type)
        if self.defers(request, type, session) { return }
        if let answer = try session.answer(to: request, type, at: now) { return self.inform(request, answer) }
        try self.withSession { (player, session) throws(PlayerRefusal) in
            if type == .setVolume {
                try player.setVolume(request)
            } else {
                try session.perform(request, type, at: now)
            }
            if session.ending != nil { player.cancelLoad(of: &session) }
            player.answer(request, &session, at: now)
        }
    }

    private mutating func setVolume(_ request: PlayerRequest) throws(PlayerRefusal) {
        let volume = request.message.volume
        guard volume?.level != nil || volume?.isMuted != nil else { throw .invalidParameters }
        if let level = volume?.level { self.volume.level = min(max(level, 0), 1) }
        if let muted = volume?.isMuted { self.volume.isMuted = muted }
    }

    // MARK: Loads

    /// Begins a media session; what was loaded is interrupted. The answer follows when the media is there.
    mutating func begin(_ plan: LoadPlan, for request: PlayerRequest, at now: NIODeadline) {
        self.withSession { player, old in
            player.cancelLoad(of: &old)
            old.ending = .interrupted
            player.broadcastStatus(old, at: now)
        }
        self.lastPlan = plan
        var session = PlayerSession(plan, id: self.nextMediaSessionID, setup: self.setup, seed: self.seed, at: now)
        self.nextMediaSessionID += 1
        session.pendingLoad = request.id == nil ? nil : request
        self.broadcastStatus(session, at: now)
        self.seed = session.queue.seed
        self.session = session
    }

    private mutating func cancelLoad(of session: inout PlayerSession) {
        if let request = session.pendingLoad { self.cancel(request, itemID: session.queue.current?.id ?? 0) }
        session.pendingLoad = nil
    }

    mutating func cancel(_ load: PlayerRequest, itemID: Int) {
        guard let id = load.id else { return }
        self.outbox.append(
            .reply(MediaResponseType.loadCancelled.message(id, ["itemId": .number(itemID)]), to: load.sender))
    }

    // MARK: Events

    /// Lets something happen that was due, at its own instant.
    private mutating func process(_ event: PlayerEvent, _ session: inout PlayerSession) {
        let instant = event.instant
        switch event.kind {
        case .loaded:
            session.buffer(at: instant)
            if let request = session.pendingLoad { self.replyStatus(session, to: request, at: instant) }
            session.pendingLoad = nil
        case .loadFailed, .playbackFailed: return self.failed(&session, at: instant)
        case .itemEnded: return self.itemEnded(&session, at: instant)
        case .buffered:
            session.phase = .ready
            session.settle(at: instant)
        case .breakReached(let index):
            let position = session.breaks[index].position ?? 0
            session.startBreak(index, then: .at(position), at: instant)
            session.settle(at: instant)
        case .clipBecomesSkippable: session.adBreak?.announceSkipping(at: instant)
        case .clipEnded:
            if session.endClip(at: instant) { return self.goOn(&session, at: instant) }
            session.settle(at: instant)
        case .preloaded(let id): session.preloadedItemID = id
        }
        self.broadcastStatus(session, at: instant)
    }

    /// Handles media that cannot be loaded, or fails while it plays.
    mutating func failed(_ session: inout PlayerSession, at instant: NIODeadline) {
        let request = session.pendingLoad
        var payload: JSONObject = [
            "type": .string((request == nil ? MediaResponseType.error : .loadFailed).rawValue)
        ]
        payload["requestId"] = request?.id?.json
        payload["itemId"] = .number(session.queue.current?.id ?? 0)
        payload["detailedErrorCode"] = .number(
            session.failure?.detailedErrorCode ?? DetailedErrorCode.generic.rawValue)
        if let reason = session.failure?.reason { payload["reason"] = .string(reason) }
        if let request {
            session.pendingLoad = nil
            self.outbox.append(.reply(payload, to: request.sender))
        } else if session.previousItemEnd != nil || !session.isLoading {
            // A runtime error answers no request, so it carries no number (protocol notes, quirk 23).
            self.outbox.append(.broadcast(payload))
        }
        session.ending = .error
        self.broadcastStatus(session, at: instant)
    }

    /// The item is played; a break behind it comes first.
    mutating func itemEnded(_ session: inout PlayerSession, at instant: NIODeadline) {
        guard let postRoll = session.postRoll else { return self.goOn(&session, at: instant) }
        session.clock.move(to: session.end ?? 0, at: instant)
        session.startBreak(postRoll, then: .itemEnd, at: instant)
        session.settle(at: instant)
        self.broadcastStatus(session, at: instant)
    }

    /// Goes to the item that follows by the repeat mode, or ends the session.
    private mutating func goOn(_ session: inout PlayerSession, at instant: NIODeadline) {
        switch session.queue.repeatMode {
        case .single: session.start(session.queue.index, after: .finished, at: instant)
        case .allAndShuffle where session.queue.index + 1 >= session.queue.count:
            session.queue.shuffle(keepingCurrent: false)
            session.start(0, after: .finished, at: instant)
            self.broadcastStatus(session, at: instant)
            return self.outbox.append(.broadcast(session.queue.change(.update, session.queue.ids)))
        default:
            if let next = session.queue.index(jumping: 1) {
                session.start(next, after: .finished, at: instant)
            } else {
                session.ending = .finished
            }
        }
        self.broadcastStatus(session, at: instant)
    }

    // MARK: Answers

    /// Answers a change: first the sender that asked, then all (protocol notes, 6.11).
    mutating func answer(_ request: PlayerRequest, _ session: inout PlayerSession, at now: NIODeadline) {
        self.replyStatus(session, to: request, at: now)
        self.broadcastStatus(session, at: now)
        self.broadcastChanges(&session)
    }

    mutating func broadcastChanges(_ session: inout PlayerSession) {
        self.outbox += session.queueChanges.map(Action.broadcast)
        session.queueChanges = []
    }

    /// Answers a question; one without a number is answered to all.
    mutating func inform(_ request: PlayerRequest, _ payload: JSONObject) {
        var payload = payload
        payload["requestId"] = (request.id ?? .spontaneous).json
        if request.id != nil {
            self.outbox.append(.reply(payload, to: request.sender))
        } else if payload.string("type") != MediaResponseType.sessionState.rawValue {
            self.outbox.append(.broadcast(payload))
        }
    }

    mutating func refuse(_ request: PlayerRequest, _ refusal: PlayerRefusal) {
        guard let id = request.id else { return }
        let payload =
            switch refusal {
            case .invalidState: MediaResponseType.invalidPlayerState.message(id)
            case .invalid(let reason):
                MediaResponseType.invalidRequest.message(id, ["reason": .string(reason.rawValue)])
            }
        self.outbox.append(.reply(payload, to: request.sender))
    }
}

extension MediaResponseType {
    func message(_ id: RequestID, _ members: JSONObject = [:]) -> JSONObject {
        var message: JSONObject = ["type": .string(self.rawValue), "requestId": id.json]
        for member in members.members { message[member.name] = member.value }
        return message
    }
}
