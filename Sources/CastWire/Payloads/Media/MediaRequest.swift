/// A request in the media namespace, whichever it is (protocol notes, 6.1 and 6.2).
///
/// LOAD has a look of its own, ``LoadRequest``.
public struct MediaRequest: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// What is asked for.
    public var type: MediaRequestType? {
        get { self[raw: "type"] }
        set { self[raw: "type"] = newValue }
    }

    /// The media session that is meant.
    public var mediaSessionID: Int? {
        get { self[whole: "mediaSessionId"] }
        set { self[whole: "mediaSessionId"] = newValue }
    }

    /// Anything that sender and app agreed on.
    public var customData: JSONValue? {
        get { self.json["customData"] }
        set { self.json["customData"] = newValue }
    }

    /// The counter by which queues are kept in step.
    public var sequenceNumber: Int? {
        get { self[whole: "sequenceNumber"] }
        set { self[whole: "sequenceNumber"] = newValue }
    }

    /// A position in seconds; may be infinite.
    public var currentTime: Double? {
        get { self[number: "currentTime"] }
        set { self[number: "currentTime"] = newValue }
    }

    /// SEEK: seconds from where it is now; wins over ``currentTime``.
    public var relativeTime: Double? {
        get { self[number: "relativeTime"] }
        set { self[number: "relativeTime"] = newValue }
    }

    /// SEEK: what it leaves behind; nil keeps the state.
    public var resumeState: ResumeState? {
        get { self[raw: "resumeState"] }
        set { self[raw: "resumeState"] = newValue }
    }

    /// GET_STATUS: 1 leaves metadata out, 2 leaves queue items out.
    public var options: Int? {
        get { self[whole: "options"] }
        set { self[whole: "options"] = newValue }
    }

    /// SET_VOLUME: what is to change.
    public var volume: MediaVolume? {
        get { self[payload: "volume"] }
        set { self[payload: "volume"] = newValue }
    }

    /// The speed, 1 is normal.
    public var playbackRate: Double? {
        get { self[number: "playbackRate"] }
        set { self[number: "playbackRate"] = newValue }
    }

    /// A factor for the speed; used only without ``playbackRate``.
    public var relativePlaybackRate: Double? {
        get { self[number: "relativePlaybackRate"] }
        set { self[number: "relativePlaybackRate"] = newValue }
    }

    /// The tracks that shall be on, all others off; nil when one is no number.
    public var activeTrackIDs: [Int]? {
        get { self[wholes: "activeTrackIds"] }
        set { self[wholes: "activeTrackIds"] = newValue }
    }

    /// EDIT_TRACKS_INFO, EDIT_AUDIO_TRACKS: a language, RFC 5646.
    public var language: String? {
        get { self[text: "language"] }
        set { self[text: "language"] = newValue }
    }

    /// EDIT_TRACKS_INFO: text on or off.
    public var enablesTextTracks: Bool? {
        get { self[flag: "enableTextTracks"] }
        set { self[flag: "enableTextTracks"] = newValue }
    }

    /// True when the language is a guess, so its absence is no error.
    public var isSuggestedLanguage: Bool? {
        get { self[flag: "isSuggestedLanguage"] }
        set { self[flag: "isSuggestedLanguage"] = newValue }
    }

    /// EDIT_TRACKS_INFO: how text looks; nil leaves it.
    public var textTrackStyle: TextTrackStyle? {
        get { self[payload: "textTrackStyle"] }
        set { self[payload: "textTrackStyle"] = newValue }
    }

    /// Queue items.
    public var items: [QueueItem]? {
        get { self[payloads: "items"] }
        set { self[payloads: "items"] = newValue }
    }

    /// Ids of queue items; nil when one is no number.
    public var itemIDs: [Int]? {
        get { self[wholes: "itemIds"] }
        set { self[wholes: "itemIds"] = newValue }
    }

    /// The id of a queue item.
    public var itemID: Int? {
        get { self[whole: "itemId"] }
        set { self[whole: "itemId"] = newValue }
    }

    /// QUEUE_LOAD: which item plays first, from 0.
    public var startIndex: Int? {
        get { self[whole: "startIndex"] }
        set { self[whole: "startIndex"] = newValue }
    }

    /// The item before which others go; nil appends.
    public var insertBefore: Int? {
        get { self[whole: "insertBefore"] }
        set { self[whole: "insertBefore"] = newValue }
    }

    /// The item that is current afterwards.
    public var currentItemID: Int? {
        get { self[whole: "currentItemId"] }
        set { self[whole: "currentItemId"] = newValue }
    }

    /// QUEUE_INSERT: which of the inserted items is current afterwards, from 0.
    public var currentItemIndex: Int? {
        get { self[whole: "currentItemIndex"] }
        set { self[whole: "currentItemIndex"] = newValue }
    }

    /// QUEUE_UPDATE: how many items to go on, or back when negative.
    public var jump: Int? {
        get { self[whole: "jump"] }
        set { self[whole: "jump"] = newValue }
    }

    /// What follows the end of an item.
    public var repeatMode: RepeatMode? {
        get { self[raw: "repeatMode"] }
        set { self[raw: "repeatMode"] = newValue }
    }

    /// Mixes the queue, or restores its order.
    public var shuffles: Bool? {
        get { self[flag: "shuffle"] }
        set { self[flag: "shuffle"] = newValue }
    }

    /// QUEUE_GET_ITEM_RANGE: how many items behind the given one.
    public var nextCount: Int? {
        get { self[whole: "nextCount"] }
        set { self[whole: "nextCount"] = newValue }
    }

    /// QUEUE_GET_ITEM_RANGE: how many items before the given one.
    public var previousCount: Int? {
        get { self[whole: "prevCount"] }
        set { self[whole: "prevCount"] = newValue }
    }

    /// LOAD_BY_ENTITY: a deep link.
    public var entity: String? {
        get { self[text: "entity"] }
        set { self[text: "entity"] = newValue }
    }

    /// USER_ACTION: what the viewer did.
    public var userAction: UserAction? {
        get { self[raw: "userAction"] }
        set { self[raw: "userAction"] = newValue }
    }

    /// USER_ACTION: takes the action back.
    public var clears: Bool? {
        get { self[flag: "clear"] }
        set { self[flag: "clear"] = newValue }
    }

    /// RESUME_SESSION: the stored state.
    public var sessionState: SessionState? {
        get { self[payload: "sessionState"] }
        set { self[payload: "sessionState"] = newValue }
    }

    /// The number to repeat in the reply; nil without one.
    public var requestID: RequestID? { RequestID(json: self.json["requestId"]) }

    /// What a viewer's action is about.
    public var userActionContext: UserActionContext? {
        get { self[raw: "userActionContext"] }
        set { self[raw: "userActionContext"] = newValue }
    }

    /// FOCUS_STATE: `IN_FOCUS` or `NOT_IN_FOCUS`.
    public var focusState: String? {
        get { self[text: "state"] }
        set { self[text: "state"] = newValue }
    }
}
