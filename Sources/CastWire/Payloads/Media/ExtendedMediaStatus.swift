/// What an idle player is about to play (protocol notes, 6.3).
public struct ExtendedMediaStatus: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// `LOADING`.
    public var playerState: PlayerState? {
        get { self[raw: "playerState"] }
        set { self[raw: "playerState"] = newValue }
    }

    /// What it loads.
    public var media: MediaInformation? {
        get { self[payload: "media"] }
        set { self[payload: "media"] = newValue }
    }

    /// The media session.
    public var mediaSessionID: Int? {
        get { self[whole: "mediaSessionId"] }
        set { self[whole: "mediaSessionId"] = newValue }
    }
}
