import CastWire

/// A request and who wants its answer.
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
        .precache, .setCredentials, .displayStatus, .focusState, .customCommand, .showRemoteControlOverlay,
    ]
}
