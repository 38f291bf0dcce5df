/// One element of the `status` of a MEDIA_STATUS (protocol notes, 6.3).
public struct MediaStatus: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The media session, new for each load.
    public var mediaSessionID: Int? {
        get { self[whole: "mediaSessionId"] }
        set { self[whole: "mediaSessionId"] = newValue }
    }

    /// The speed.
    public var playbackRate: Double? {
        get { self[number: "playbackRate"] }
        set { self[number: "playbackRate"] = newValue }
    }

    /// What the player does.
    public var playerState: PlayerState? {
        get { self[raw: "playerState"] }
        set { self[raw: "playerState"] = newValue }
    }

    /// Why it is idle.
    public var idleReason: IdleReason? {
        get { self[raw: "idleReason"] }
        set { self[raw: "idleReason"] = newValue }
    }

    /// What it is about to play.
    public var extendedStatus: ExtendedMediaStatus? {
        get { self[payload: "extendedStatus"] }
        set { self[payload: "extendedStatus"] = newValue }
    }

    /// The position.
    public var currentTime: Double? {
        get { self[number: "currentTime"] }
        set { self[number: "currentTime"] = newValue }
    }

    /// The volume of the stream.
    public var volume: MediaVolume? {
        get { self[payload: "volume"] }
        set { self[payload: "volume"] = newValue }
    }

    /// What is loaded; may be left out when unchanged.
    public var media: MediaInformation? {
        get { self[payload: "media"] }
        set { self[payload: "media"] = newValue }
    }

    /// The tracks that are on.
    public var activeTrackIDs: [Int]? {
        get { self[wholes: "activeTrackIds"] }
        set { self[wholes: "activeTrackIds"] = newValue }
    }

    /// The current queue item.
    public var currentItemID: Int? {
        get { self[whole: "currentItemId"] }
        set { self[whole: "currentItemId"] = newValue }
    }

    /// The queue item that loads.
    public var loadingItemID: Int? {
        get { self[whole: "loadingItemId"] }
        set { self[whole: "loadingItemId"] = newValue }
    }

    /// The queue item that is prepared.
    public var preloadedItemID: Int? {
        get { self[whole: "preloadedItemId"] }
        set { self[whole: "preloadedItemId"] = newValue }
    }

    /// The items around the current one.
    public var items: [QueueItem]? {
        get { self[payloads: "items"] }
        set { self[payloads: "items"] = newValue }
    }

    /// What follows the end of an item.
    public var repeatMode: RepeatMode? {
        get { self[raw: "repeatMode"] }
        set { self[raw: "repeatMode"] = newValue }
    }

    /// The queue as a whole.
    public var queueData: QueueData? {
        get { self[payload: "queueData"] }
        set { self[payload: "queueData"] = newValue }
    }

    /// The picture.
    public var videoInfo: VideoInfo? {
        get { self[payload: "videoInfo"] }
        set { self[payload: "videoInfo"] = newValue }
    }

    /// What of a live stream can be reached.
    public var liveSeekableRange: LiveSeekableRange? {
        get { self[payload: "liveSeekableRange"] }
        set { self[payload: "liveSeekableRange"] = newValue }
    }

    /// Where the break is; nil outside of one.
    public var breakStatus: BreakStatus? {
        get { self[payload: "breakStatus"] }
        set { self[payload: "breakStatus"] = newValue }
    }

    /// Anything that sender and app agreed on.
    public var customData: JSONValue? {
        get { self.json["customData"] }
        set { self.json["customData"] = newValue }
    }

    /// What the player can do now; empty when absent.
    public var supportedMediaCommands: SupportedMediaCommands {
        get { SupportedMediaCommands(rawValue: self[whole: "supportedMediaCommands"] ?? 0) }
        set { self[whole: "supportedMediaCommands"] = newValue.rawValue }
    }
}
