/// One element of the `status` of a MEDIA_STATUS (protocol notes, 6.3).
public struct MediaStatus: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The media session, new for each load.
        public static let mediaSessionID = Field<Int>("mediaSessionId")
        /// The speed.
        public static let playbackRate = Field<Double>("playbackRate")
        /// What the player does.
        public static let playerState = Field<PlayerState>("playerState")
        /// Why it is idle.
        public static let idleReason = Field<IdleReason>("idleReason")
        /// What it is about to play.
        public static let extendedStatus = Field<ExtendedMediaStatus>("extendedStatus")
        /// The position.
        public static let currentTime = Field<Double>("currentTime")
        /// The volume of the stream.
        public static let volume = Field<MediaVolume>("volume")
        /// What is loaded; may be left out when unchanged.
        public static let media = Field<MediaInformation>("media")
        /// The tracks that are on.
        public static let activeTrackIDs = Field<[Int]>("activeTrackIds")
        /// The current queue item.
        public static let currentItemID = Field<Int>("currentItemId")
        /// The queue item that loads.
        public static let loadingItemID = Field<Int>("loadingItemId")
        /// The queue item that is prepared.
        public static let preloadedItemID = Field<Int>("preloadedItemId")
        /// The items around the current one.
        public static let items = Field<[QueueItem]>("items")
        /// What follows the end of an item.
        public static let repeatMode = Field<RepeatMode>("repeatMode")
        /// The queue as a whole.
        public static let queueData = Field<QueueData>("queueData")
        /// The picture.
        public static let videoInfo = Field<VideoInfo>("videoInfo")
        /// What of a live stream can be reached.
        public static let liveSeekableRange = Field<LiveSeekableRange>("liveSeekableRange")
        /// Where the break is; nil outside of one.
        public static let breakStatus = Field<BreakStatus>("breakStatus")
        /// Anything that sender and app agreed on.
        public static let customData = Field<JSONValue>("customData")
    }

    /// What the player can do now; empty when absent.
    public var supportedMediaCommands: SupportedMediaCommands {
        get { SupportedMediaCommands(rawValue: self[Field<Int>("supportedMediaCommands")] ?? 0) }
        set { self[Field<Int>("supportedMediaCommands")] = newValue.rawValue }
    }
}

/// What an idle player is about to play (protocol notes, 6.3).
public struct ExtendedMediaStatus: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// `LOADING`.
        public static let playerState = Field<PlayerState>("playerState")
        /// What it loads.
        public static let media = Field<MediaInformation>("media")
        /// The media session.
        public static let mediaSessionID = Field<Int>("mediaSessionId")
    }
}

/// What a player does (protocol notes, 6.3).
public struct PlayerState: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Nothing, or it loads.
    public static let idle = PlayerState(rawValue: "IDLE")
    /// It waits for data.
    public static let buffering = PlayerState(rawValue: "BUFFERING")
    /// It plays.
    public static let playing = PlayerState(rawValue: "PLAYING")
    /// It is paused.
    public static let paused = PlayerState(rawValue: "PAUSED")
    /// It loads; in `extendedStatus` only.
    public static let loading = PlayerState(rawValue: "LOADING")
}

/// Why a player is idle (protocol notes, 6.3).
public struct IdleReason: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A sender stopped it.
    public static let cancelled = IdleReason(rawValue: "CANCELLED")
    /// Another load replaced it.
    public static let interrupted = IdleReason(rawValue: "INTERRUPTED")
    /// The media ended.
    public static let finished = IdleReason(rawValue: "FINISHED")
    /// The media failed.
    public static let error = IdleReason(rawValue: "ERROR")
}

/// The volume of a stream, or a change of it (protocol notes, 6.3).
public struct MediaVolume: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Whether it is silent.
        public static let isMuted = Field<Bool>("muted")
    }

    /// How loud it is, from 0 to 1; nil when absent.
    public var level: Double? {
        get { self.json["level"].flatMap { Double(field: $0, isExact: false) }?.shortest }
        set { self.json["level"] = newValue.map { .number($0.shortest) } }
    }
}

/// The part of a live stream that can be reached (protocol notes, 6.3).
public struct LiveSeekableRange: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Its start.
        public static let start = Field<Double>("start")
        /// Its end, the live edge.
        public static let end = Field<Double>("end")
        /// Whether the start moves.
        public static let isMovingWindow = Field<Bool>("isMovingWindow")
        /// Whether the stream ended.
        public static let isLiveDone = Field<Bool>("isLiveDone")
    }
}

/// The picture that plays (protocol notes, 6.3).
public struct VideoInfo: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Pixels.
        public static let width = Field<Int>("width")
        /// Pixels.
        public static let height = Field<Int>("height")
        /// How much light it has.
        public static let hdrType = Field<HDRType>("hdrType")
    }

    /// True for 2160 lines and more, what shops call 4K.
    public var isUltraHD: Bool { (self.width ?? 0) >= 3840 || (self.height ?? 0) >= 2160 }
}

/// How much light a picture has (FEATURES of the SDKs: `GCKVideoInfoHDRType`; protocol notes, 6.3).
public struct HDRType: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Standard dynamic range.
    public static let standard = HDRType(rawValue: "sdr")
    /// High dynamic range, HDR10 for example.
    public static let high = HDRType(rawValue: "hdr")
    /// Dolby Vision.
    public static let dolbyVision = HDRType(rawValue: "dv")
}
