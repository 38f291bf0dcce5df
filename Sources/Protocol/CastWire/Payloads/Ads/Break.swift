/// A break for advertisements (protocol notes, 6.7).
public struct Break: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Its id.
        public static let id = Field<String>("id")
        /// The clips it plays, in order.
        public static let breakClipIDs = Field<[String]>("breakClipIds")
        /// Where it stands in the media, −1 is behind the end.
        public static let position = Field<Double>("position")
        /// Its length.
        public static let duration = Field<Double>("duration")
        /// Whether it was played.
        public static let isWatched = Field<Bool>("isWatched")
        /// Whether its clips are part of the stream.
        public static let isEmbedded = Field<Bool>("isEmbedded")
        /// Whether its clips make the media longer.
        public static let isExpanded = Field<Bool>("expanded")
    }

    /// True for one behind the end of the media: position −1.
    public var isPostRoll: Bool { self.position == -1 }
}

/// A clip of a break (protocol notes, 6.7).
public struct BreakClip: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Its id.
        public static let id = Field<String>("id")
        /// Its title.
        public static let title = Field<String>("title")
        /// Its content id.
        public static let contentID = Field<String>("contentId")
        /// Its address.
        public static let contentURL = Field<String>("contentUrl")
        /// Its MIME type.
        public static let contentType = Field<String>("contentType")
        /// Its length.
        public static let duration = Field<Double>("duration")
        /// A picture.
        public static let posterURL = Field<String>("posterUrl")
        /// Where a click leads.
        public static let clickThroughURL = Field<String>("clickThroughUrl")
        /// After how much of it it may be skipped; negative or nil never.
        public static let whenSkippable = Field<Double>("whenSkippable")
        /// Where to fetch it.
        public static let vastAdsRequest = Field<AdsRequest>("vastAdsRequest")
        /// Anything that sender and app agreed on.
        public static let customData = Field<JSONValue>("customData")
        /// What its HLS segments are.
        public static let hlsSegmentFormat = Field<HLSSegmentFormat>("hlsSegmentFormat")
    }

    /// True when it may be skipped after some seconds; see ``whenSkippable``.
    public var isSkippable: Bool { (self.whenSkippable ?? -1) >= 0 }
}

/// Where a break is (protocol notes, 6.3).
public struct BreakStatus: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The break.
        public static let breakID = Field<String>("breakId")
        /// The clip.
        public static let breakClipID = Field<String>("breakClipId")
        /// Seconds of the break.
        public static let currentBreakTime = Field<Double>("currentBreakTime")
        /// Seconds of the clip.
        public static let currentBreakClipTime = Field<Double>("currentBreakClipTime")
        /// After how much of the clip it may be skipped.
        public static let whenSkippable = Field<Double>("whenSkippable")
    }
}

/// Where advertisements are fetched: VAST for a clip, VMAP for a medium, which overrides its other breaks (protocol notes, 6.5 and 6.7).
public struct AdsRequest: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Where to ask.
        public static let adTagURL = Field<String>("adTagUrl")
        /// The answer itself, instead of an address.
        public static let adsResponse = Field<String>("adsResponse")
    }
}
