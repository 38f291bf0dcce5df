import CastWire
import NIOCore

extension SimulatedPlayer {
    /// Carries out a request and answers it, unless its answer has to wait.
    mutating func perform(_ request: PlayerRequest, at now: NIODeadline) throws(PlayerRefusal) {
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
        case _ where MediaRequestType.acknowledged.contains(type): try self.acknowledge(request, at: now)
        case _ where MediaRequestType.withMediaSessionID.contains(type):
            try self.performOnSession(request, type, at: now)
        case _ where MediaRequestType.withoutMediaSessionID.contains(type):
            try self.performOnSession(request, type, at: now)
        default: throw .invalid(.invalidCommand)
        }
    }

    private mutating func performOnSession(
        _ request: PlayerRequest, _ type: MediaRequestType, at now: NIODeadline
    ) throws(PlayerRefusal) {
        let named = request.message.mediaSessionID
        guard var session = self.session else {
            // A sender that stops what has just ended hears that its media session is gone (protocol notes, quirk 18).
            throw type == .stop && named != nil ? .invalid(.invalidMediaSessionID) : .invalidState
        }
        let mustName = MediaRequestType.withMediaSessionID.contains(type) || request.has("mediaSessionId")
        guard !mustName || named == session.id else { throw .invalid(.invalidMediaSessionID) }
        try self.checkSupported(request, type)
        if self.defers(request, type, session) { return }
        self.session = nil
        defer { self.session = session.ending == nil ? session : nil }
        let query = try self.query(request, type, session, at: now)
        if let query { return self.inform(request, query) }
        try self.change(&session, request, type, at: now)
        self.answer(request, session, at: now)
    }

    /// The answer to a request that changes nothing; nil for the others.
    private func query(
        _ request: PlayerRequest, _ type: MediaRequestType, _ session: PlayerSession, at now: NIODeadline
    ) throws(PlayerRefusal) -> JSONObject? {
        switch type {
        case .queueGetItemIDs: self.itemIDs(of: session.queue)
        case .queueGetItems: try self.items(request, session.queue)
        case .queueGetItemRange: try self.itemRange(request, session.queue)
        case .storeSession: try self.storedState(session, at: now)
        default: nil
        }
    }

    private mutating func change(
        _ session: inout PlayerSession, _ request: PlayerRequest, _ type: MediaRequestType, at now: NIODeadline
    ) throws(PlayerRefusal) {
        switch type {
        case .play: self.setPlaying(true, &session, at: now)
        case .pause: self.setPlaying(false, &session, at: now)
        case .stop: self.end(&session, .cancelled)
        case .seek: try self.seek(request, &session, at: now)
        case .setVolume: try self.setVolume(request)
        case .setPlaybackRate: try self.setPlaybackRate(request, &session, at: now)
        case .editTracksInfo: try self.editTracks(request, &session)
        case .editAudioTracks: try self.editAudioTracks(request, &session)
        case .queueInsert: try self.insert(request, &session, at: now)
        case .queueUpdate: try self.update(request, &session, at: now)
        case .queueRemove: try self.remove(request, &session, at: now)
        case .queueReorder: try self.reorder(request, &session, at: now)
        case .queueNext: try self.jump(1, &session, at: now)
        case .queuePrevious: try self.jump(-1, &session, at: now)
        case .queueShuffle: self.shuffle(request.message.shuffles ?? true, &session)
        case .skipAd: try self.skipAd(&session, at: now)
        case .userAction: try self.userAction(request, &session, at: now)
        case .preload: try self.preload(request, &session)
        case .playAgain:
            self.start(session.queue.index, in: &session, startTime: 0, autoplay: true, after: .interrupted, at: now)
        default: throw .invalid(.invalidCommand)
        }
    }

    // MARK: Answers

    /// Answers a change: first the sender that asked, then all (protocol notes, 6.11).
    mutating func answer(_ request: PlayerRequest, _ session: PlayerSession, at now: NIODeadline) {
        if let id = request.id {
            let status = self.statusMessage(session, at: now, id: id, limit: StatusBudget.reply(to: request.sender))
            self.outbox.append(.reply(status, to: request.sender))
        }
        self.broadcastStatus(session, at: now)
        self.outbox += self.afterAnswer.map(Action.broadcast)
        self.afterAnswer = []
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

    /// Answers a request that a default receiver takes note of and no more.
    private mutating func acknowledge(_ request: PlayerRequest, at now: NIODeadline) throws(PlayerRefusal) {
        let json = request.message.json
        switch request.type {
        case .focusState?:
            guard let state = json.string("state"), ["IN_FOCUS", "NOT_IN_FOCUS"].contains(state) else {
                throw .invalidParameters
            }
        case .playString?:
            guard json.string("stringId")?.isEmpty == false,
                !request.has("arguments") || json.array("arguments")?.allSatisfy({ $0.stringValue != nil }) == true
            else { throw .invalidParameters }
        default: break
        }
        guard let id = request.id else { return }
        let status = self.statusMessage(
            self.session, at: now, id: id, limit: StatusBudget.reply(to: request.sender))
        self.outbox.append(.reply(status, to: request.sender))
    }

    mutating func refuse(_ request: PlayerRequest, _ refusal: PlayerRefusal) {
        guard let id = request.id else { return }
        let payload: JSONObject =
            switch refusal {
            case .invalidState: ["type": .string(MediaResponseType.invalidPlayerState.rawValue), "requestId": id.json]
            case .invalid(let reason):
                [
                    "type": .string(MediaResponseType.invalidRequest.rawValue), "requestId": id.json,
                    "reason": .string(reason.rawValue),
                ]
            }
        self.outbox.append(.reply(payload, to: request.sender))
    }
}

/// A request, and the sender that wants its answer.
struct PlayerRequest {
    /// Nil when the sender gave no number, or 0: it acts all the same, but nothing answers it.
    let id: RequestID?
    let sender: EndpointID
    let message: MediaRequest

    init(_ payload: JSONObject, from sender: EndpointID) {
        self.message = MediaRequest(json: payload)
        self.sender = sender
        if let id = self.message.requestID, id.json.doubleValue != 0 {
            self.id = id
        } else {
            self.id = nil
        }
    }

    var type: MediaRequestType? { self.message.type }

    /// True when a field is there and not null, whatever it holds.
    func has(_ name: String) -> Bool {
        switch self.message.json[name] {
        case nil, .null?: false
        default: true
        }
    }

    /// The value of a field that may be absent but not of another kind.
    func checked<Value>(_ name: String, _ value: Value?) throws(PlayerRefusal) -> Value? {
        guard value != nil || !self.has(name) else { throw .invalidParameters }
        return value
    }
}

extension MediaRequestType {
    /// Requests about what is loaded that need not say which media session they mean (protocol notes, 6.1).
    static let withoutMediaSessionID: Set<MediaRequestType> = [.preload, .storeSession, .userAction, .playAgain]

    /// Requests about what is loaded that must say it.
    static let withMediaSessionID: Set<MediaRequestType> = [
        .play, .pause, .stop, .seek, .setVolume, .setPlaybackRate, .editTracksInfo, .editAudioTracks, .queueInsert,
        .queueUpdate, .queueRemove, .queueReorder, .queueNext, .queuePrevious, .queueShuffle, .queueGetItemIDs,
        .queueGetItems, .queueGetItemRange, .skipAd,
    ]

    /// Requests that a player only acknowledges.
    static let acknowledged: Set<MediaRequestType> = [
        .precache, .setCredentials, .refreshCredentials, .displayStatus, .focusState, .customCommand,
        .showRemoteControlOverlay, .playString, .executeActionScript, .cloudStatus,
    ]
}

/// Why a request is not carried out.
enum PlayerRefusal: Error, Equatable {
    /// Nothing is loaded, or the state does not allow it: `INVALID_PLAYER_STATE`.
    case invalidState
    /// `INVALID_REQUEST` with a reason.
    case invalid(MediaErrorReason)

    static var invalidParameters: PlayerRefusal { .invalid(.invalidParams) }
}
