/// A track of a medium (protocol notes, 6.7).
public struct MediaTrack: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Its id, also when spelled as text.
        public static let trackID = Field<Int>("trackId")
        /// Its kind.
        public static let type = Field<MediaTrackType>("type")
        /// What a text track is for.
        public static let subtype = Field<TextTrackSubtype>("subtype")
        /// Its name.
        public static let name = Field<String>("name")
        /// RFC 5646.
        public static let language = Field<String>("language")
        /// Its address.
        public static let trackContentID = Field<String>("trackContentId")
        /// Its MIME type.
        public static let trackContentType = Field<TextTrackType>("trackContentType")
        /// Whether it is part of the stream.
        public static let isInband = Field<Bool>("isInband")
        /// What it is for.
        public static let roles = Field<[String]>("roles")
        /// Anything that sender and app agreed on.
        public static let customData = Field<JSONValue>("customData")
        /// What an audio track sounds like; receivers add it.
        public static let audioTrackInfo = Field<AudioTrackInfo>("audioTrackInfo")
    }
}

/// The kind of a track (protocol notes, 6.7).
public struct MediaTrackType: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Subtitles and the like.
    public static let text = MediaTrackType(rawValue: "TEXT")
    /// Sound.
    public static let audio = MediaTrackType(rawValue: "AUDIO")
    /// Pictures.
    public static let video = MediaTrackType(rawValue: "VIDEO")
}

/// What a text track is for (protocol notes, 6.7).
public struct TextTrackSubtype: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// What is said, translated.
    public static let subtitles = TextTrackSubtype(rawValue: "SUBTITLES")
    /// What is to be heard, for viewers who do not hear.
    public static let captions = TextTrackSubtype(rawValue: "CAPTIONS")
    /// What is to be seen, for viewers who do not see.
    public static let descriptions = TextTrackSubtype(rawValue: "DESCRIPTIONS")
    /// Titles of chapters.
    public static let chapters = TextTrackSubtype(rawValue: "CHAPTERS")
    /// For the app, not to be shown.
    public static let metadata = TextTrackSubtype(rawValue: "METADATA")
}

/// The MIME type of a text track (protocol notes, 6.7). The file must be served with CORS headers.
public struct TextTrackType: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// WebVTT, what most receivers take.
    public static let webVTT = TextTrackType(rawValue: "text/vtt")
    /// TTML.
    public static let ttml = TextTrackType(rawValue: "application/ttml+xml")
    /// TTML in MP4.
    public static let ttmlInMP4 = TextTrackType(rawValue: "application/mp4")
    /// CEA-608, in the stream itself.
    public static let cea608 = TextTrackType(rawValue: "text/cea608")
}

/// What the sound of an audio track is.
public struct AudioTrackInfo: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The codec, such as `mp4a.40.2`.
        public static let codec = Field<String>("audioCodec")
        /// How many channels it has.
        public static let channels = Field<Int>("numAudioChannels")
        /// Whether it is spatial.
        public static let isSpatial = Field<Bool>("spatialAudio")
    }
}
