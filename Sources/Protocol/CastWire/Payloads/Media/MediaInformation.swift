/// One medium: where it is and what it is (protocol notes, 6.5).
public struct MediaInformation: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The address that is played instead of the id.
        public static let contentURL = Field<String>("contentUrl")
        /// The MIME type.
        public static let contentType = Field<String>("contentType")
        /// The length in seconds; nil for live media.
        public static let duration = Field<Double>("duration")
        /// What to show.
        public static let metadata = Field<MediaMetadata>("metadata")
        /// Anything that sender and app agreed on.
        public static let customData = Field<JSONValue>("customData")
        /// The tracks.
        public static let tracks = Field<[MediaTrack]>("tracks")
        /// How text looks.
        public static let textTrackStyle = Field<TextTrackStyle>("textTrackStyle")
        /// The breaks.
        public static let breaks = Field<[Break]>("breaks")
        /// The clips of the breaks.
        public static let breakClips = Field<[BreakClip]>("breakClips")
        /// A deep link.
        public static let entity = Field<String>("entity")
        /// The kind; the receiver adds it.
        public static let mediaCategory = Field<MediaCategory>("mediaCategory")
        /// The format of HLS audio segments.
        public static let hlsSegmentFormat = Field<HLSSegmentFormat>("hlsSegmentFormat")
        /// The format of HLS video segments.
        public static let hlsVideoSegmentFormat = Field<HLSVideoSegmentFormat>("hlsVideoSegmentFormat")
        /// When a live programme began, seconds since 1970.
        public static let startAbsoluteTime = Field<Double>("startAbsoluteTime")
        /// What viewers did.
        public static let userActionStates = Field<[UserActionState]>("userActionStates")
        /// Where its breaks are fetched; overrides ``breaks``.
        public static let vmapAdsRequest = Field<AdsRequest>("vmapAdsRequest")
        /// Whom it is fit for, such as `TV-14`.
        public static let contentRating = Field<String>("contentRating")
        /// What an app calls it.
        public static let appContentID = Field<String>("appContentId")
        /// A deep link for Android TV apps.
        public static let atvEntity = Field<String>("atvEntity")
    }

    /// The id, usually an address; a medium with only an address has that for its id.
    public var contentID: String? {
        get { self[Field<String>("contentId")] ?? self.contentURL }
        set { self[Field<String>("contentId")] = newValue }
    }

    /// How it is delivered; senders that say nothing, or null, mean a file.
    public var streamType: StreamType {
        get { self[Field<StreamType>("streamType")] ?? .buffered }
        set { self[Field<StreamType>("streamType")] = newValue }
    }

    /// The address that is played: ``contentURL``, else the id.
    public var playableURL: String? { self.contentURL ?? self.contentID }
}

/// How a medium is delivered (protocol notes, 6.5).
public struct StreamType: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A file with an end.
    public static let buffered = StreamType(rawValue: "BUFFERED")
    /// A stream without one.
    public static let live = StreamType(rawValue: "LIVE")
    /// Not told, or a picture.
    public static let none = StreamType(rawValue: "NONE")
}

/// What kind of media it is; the receiver adds it (protocol notes, 6.5).
public struct MediaCategory: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Sound.
    public static let audio = MediaCategory(rawValue: "AUDIO")
    /// A picture.
    public static let image = MediaCategory(rawValue: "IMAGE")
    /// Moving pictures.
    public static let video = MediaCategory(rawValue: "VIDEO")
}

/// What the audio segments of an HLS stream are (protocol notes, 6.5).
public struct HLSSegmentFormat: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// AAC.
    public static let aac = HLSSegmentFormat(rawValue: "aac")
    /// AC-3.
    public static let ac3 = HLSSegmentFormat(rawValue: "ac3")
    /// E-AC-3.
    public static let eac3 = HLSSegmentFormat(rawValue: "e_ac3")
    /// Fragmented MP4.
    public static let fragmentedMP4 = HLSSegmentFormat(rawValue: "fmp4")
    /// MP3.
    public static let mp3 = HLSSegmentFormat(rawValue: "mp3")
    /// MPEG-2 transport stream.
    public static let transportStream = HLSSegmentFormat(rawValue: "ts")
    /// AAC in an MPEG-2 transport stream.
    public static let transportStreamAAC = HLSSegmentFormat(rawValue: "ts_aac")
}

/// What the video segments of an HLS stream are (protocol notes, 6.5).
public struct HLSVideoSegmentFormat: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// MPEG-2 transport stream.
    public static let transportStream = HLSVideoSegmentFormat(rawValue: "mpeg2_ts")
    /// Fragmented MP4.
    public static let fragmentedMP4 = HLSVideoSegmentFormat(rawValue: "fmp4")
}
