/// A request in the media namespace, whichever it is (protocol notes, 6.1 and 6.2).
///
/// LOAD has a type of its own, ``LoadRequest``.
public struct MediaRequest: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// What is asked for.
        public static let type = Field<MediaRequestType>("type")
        /// The media session that is meant.
        public static let mediaSessionID = Field<Int>("mediaSessionId")
        /// Anything that sender and app agreed on.
        public static let customData = Field<JSONValue>("customData")
        /// The counter by which queues are kept in step.
        public static let sequenceNumber = Field<Int>("sequenceNumber")
        /// A position in seconds; may be infinite.
        public static let currentTime = Field<Double>("currentTime")
        /// SEEK: seconds from where it is now; wins over ``currentTime``.
        public static let relativeTime = Field<Double>("relativeTime")
        /// SEEK: what it leaves behind; nil keeps the state.
        public static let resumeState = Field<ResumeState>("resumeState")
        /// GET_STATUS: 1 leaves metadata out, 2 leaves queue items out.
        public static let options = Field<Int>("options")
        /// SET_VOLUME: what is to change.
        public static let volume = Field<MediaVolume>("volume")
        /// The speed, 1 is normal.
        public static let playbackRate = Field<Double>("playbackRate")
        /// A factor for the speed; used only without ``playbackRate``.
        public static let relativePlaybackRate = Field<Double>("relativePlaybackRate")
        /// The tracks that shall be on, all others off; nil when one is no number.
        public static let activeTrackIDs = Field<[Int]>("activeTrackIds")
        /// EDIT_TRACKS_INFO, EDIT_AUDIO_TRACKS: a language, RFC 5646.
        public static let language = Field<String>("language")
        /// EDIT_TRACKS_INFO: text on or off.
        public static let enablesTextTracks = Field<Bool>("enableTextTracks")
        /// True when the language is a guess, so its absence is no error.
        public static let isSuggestedLanguage = Field<Bool>("isSuggestedLanguage")
        /// EDIT_TRACKS_INFO: how text looks; nil leaves it.
        public static let textTrackStyle = Field<TextTrackStyle>("textTrackStyle")
        /// Queue items.
        public static let items = Field<[QueueItem]>("items")
        /// Ids of queue items; nil when one is no number.
        public static let itemIDs = Field<[Int]>("itemIds")
        /// The id of a queue item.
        public static let itemID = Field<Int>("itemId")
        /// QUEUE_LOAD: which item plays first, from 0.
        public static let startIndex = Field<Int>("startIndex")
        /// The item before which others go; nil appends.
        public static let insertBefore = Field<Int>("insertBefore")
        /// The item that is current afterwards.
        public static let currentItemID = Field<Int>("currentItemId")
        /// QUEUE_INSERT: which of the inserted items is current afterwards, from 0.
        public static let currentItemIndex = Field<Int>("currentItemIndex")
        /// QUEUE_UPDATE: how many items to go on, or back when negative.
        public static let jump = Field<Int>("jump")
        /// What follows the end of an item.
        public static let repeatMode = Field<RepeatMode>("repeatMode")
        /// Mixes the queue, or restores its order.
        public static let shuffles = Field<Bool>("shuffle")
        /// QUEUE_GET_ITEM_RANGE: how many items behind the given one.
        public static let nextCount = Field<Int>("nextCount")
        /// QUEUE_GET_ITEM_RANGE: how many items before the given one.
        public static let previousCount = Field<Int>("prevCount")
        /// LOAD_BY_ENTITY: a deep link.
        public static let entity = Field<String>("entity")
        /// USER_ACTION: what the viewer did.
        public static let userAction = Field<UserAction>("userAction")
        /// USER_ACTION: takes the action back.
        public static let clears = Field<Bool>("clear")
        /// RESUME_SESSION: the stored state.
        public static let sessionState = Field<SessionState>("sessionState")
        /// What a viewer's action is about.
        public static let userActionContext = Field<UserActionContext>("userActionContext")
        /// The number to repeat in the reply; nil without one.
        public static let requestID = Field<RequestID>("requestId")
        /// FOCUS_STATE: `IN_FOCUS` or `NOT_IN_FOCUS`.
        public static let focusState = Field<String>("state")
    }
}

/// What a seek leaves behind (protocol notes, 6.2).
public struct ResumeState: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The media plays.
    public static let start = ResumeState(rawValue: "PLAYBACK_START")
    /// The media is paused.
    public static let pause = ResumeState(rawValue: "PLAYBACK_PAUSE")
}
