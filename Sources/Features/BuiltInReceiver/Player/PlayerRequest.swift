import CastWire

/// A request, and the sender that wants its answer.
struct PlayerRequest {
    /// Nil when the sender gave no number, or 0: it acts all the same, but nothing answers it.
    let id: RequestID?
    let sender: EndpointID
    let message: MediaRequest

    init(_ payload: JSONObject, from sender: EndpointID) {
        self.message = MediaRequest(json: payload)
        self.sender = sender
        self.id = self.message.requestID.flatMap { $0.json.doubleValue == 0 ? nil : $0 }
    }

    var type: MediaRequestType? { self.message.type }

    /// True when a field is there and not null, whatever it holds.
    func has(_ name: String) -> Bool {
        self.message.json.has(name)
    }

    /// Checks a request that a default receiver takes note of and no more.
    func checkAcknowledged() throws(PlayerRefusal) {
        let json = self.message.json
        switch self.type {
        case .focusState?:
            guard let state = json.string("state"), ["IN_FOCUS", "NOT_IN_FOCUS"].contains(state) else {
                throw .invalidParameters
            }
        case .playString?:
            guard json.string("stringId")?.isEmpty == false,
                !self.has("arguments") || json.array("arguments")?.allSatisfy({ $0.stringValue != nil }) == true
            else { throw .invalidParameters }
        default: break
        }
    }

    /// The value of a field that may be absent but not of another kind.
    func checked<Value>(_ name: String, _ value: Value?) throws(PlayerRefusal) -> Value? {
        guard value != nil || !self.has(name) else { throw .invalidParameters }
        return value
    }
}

extension JSONObject {
    /// Returns true if a field is there and not null.
    func has(_ name: String) -> Bool {
        (self[name] ?? .null) != .null
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

    static let aboutSession = Self.withMediaSessionID.union(Self.withoutMediaSessionID)

    /// Requests that a player only acknowledges.
    static let acknowledged: Set<MediaRequestType> = [
        .precache, .setCredentials, .refreshCredentials, .displayStatus, .focusState, .customCommand,
        .showRemoteControlOverlay, .playString, .executeActionScript, .cloudStatus,
    ]
}

/// The reason a request is not carried out.
enum PlayerRefusal: Error, Equatable {
    /// Nothing is loaded, or the state does not allow it: `INVALID_PLAYER_STATE`.
    case invalidState
    /// `INVALID_REQUEST` with a reason.
    case invalid(MediaErrorReason)

    static var invalidParameters: PlayerRefusal { .invalid(.invalidParams) }
}
