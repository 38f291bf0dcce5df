/// One medium: where it is and what it is (protocol notes, 6.5).
public struct MediaInformation: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The address that is played instead of the id.
    public var contentURL: String? {
        get { self[text: "contentUrl"] }
        set { self[text: "contentUrl"] = newValue }
    }

    /// The MIME type.
    public var contentType: String? {
        get { self[text: "contentType"] }
        set { self[text: "contentType"] = newValue }
    }

    /// The length in seconds; nil for live media.
    public var duration: Double? {
        get { self[number: "duration"] }
        set { self[number: "duration"] = newValue }
    }

    /// What to show.
    public var metadata: MediaMetadata? {
        get { self[payload: "metadata"] }
        set { self[payload: "metadata"] = newValue }
    }

    /// Anything that sender and app agreed on.
    public var customData: JSONValue? {
        get { self.json["customData"] }
        set { self.json["customData"] = newValue }
    }

    /// The tracks.
    public var tracks: [MediaTrack]? {
        get { self[payloads: "tracks"] }
        set { self[payloads: "tracks"] = newValue }
    }

    /// How text looks.
    public var textTrackStyle: TextTrackStyle? {
        get { self[payload: "textTrackStyle"] }
        set { self[payload: "textTrackStyle"] = newValue }
    }

    /// The breaks.
    public var breaks: [Break]? {
        get { self[payloads: "breaks"] }
        set { self[payloads: "breaks"] = newValue }
    }

    /// The clips of the breaks.
    public var breakClips: [BreakClip]? {
        get { self[payloads: "breakClips"] }
        set { self[payloads: "breakClips"] = newValue }
    }

    /// A deep link.
    public var entity: String? {
        get { self[text: "entity"] }
        set { self[text: "entity"] = newValue }
    }

    /// The kind; the receiver adds it.
    public var mediaCategory: MediaCategory? {
        get { self[raw: "mediaCategory"] }
        set { self[raw: "mediaCategory"] = newValue }
    }

    /// The format of HLS audio segments.
    public var hlsSegmentFormat: String? {
        get { self[text: "hlsSegmentFormat"] }
        set { self[text: "hlsSegmentFormat"] = newValue }
    }

    /// The format of HLS video segments.
    public var hlsVideoSegmentFormat: String? {
        get { self[text: "hlsVideoSegmentFormat"] }
        set { self[text: "hlsVideoSegmentFormat"] = newValue }
    }

    /// When a live programme began, seconds since 1970.
    public var startAbsoluteTime: Double? {
        get { self[number: "startAbsoluteTime"] }
        set { self[number: "startAbsoluteTime"] = newValue }
    }

    /// What viewers did.
    public var userActionStates: [UserActionState]? {
        get { self[payloads: "userActionStates"] }
        set { self[payloads: "userActionStates"] = newValue }
    }

    /// Where to fetch breaks.
    public var vmapAdsRequest: JSONObject? {
        get { self[object: "vmapAdsRequest"] }
        set { self[object: "vmapAdsRequest"] = newValue }
    }

    /// The id, usually an address; a medium with only an address has that for its id.
    public var contentID: String? {
        get { self[text: "contentId"] ?? self.contentURL }
        set { self[text: "contentId"] = newValue }
    }

    /// How it is delivered; senders that say nothing, or null, mean a file.
    public var streamType: StreamType {
        get { self[raw: "streamType"] ?? .buffered }
        set { self[raw: "streamType"] = newValue }
    }

    /// The address that is played: ``contentURL``, else the id.
    public var playableURL: String? { self.contentURL ?? self.contentID }

    /// Whom it is fit for, such as `TV-14`.
    public var contentRating: String? {
        get { self[text: "contentRating"] }
        set { self[text: "contentRating"] = newValue }
    }

    /// What an app calls it.
    public var appContentID: String? {
        get { self[text: "appContentId"] }
        set { self[text: "appContentId"] = newValue }
    }

    /// A deep link for Android TV apps.
    public var atvEntity: String? {
        get { self[text: "atvEntity"] }
        set { self[text: "atvEntity"] = newValue }
    }

    /// Where its breaks are fetched; overrides ``breaks``.
    public var vmap: AdsRequest? {
        get { self[payload: "vmapAdsRequest"] }
        set { self[payload: "vmapAdsRequest"] = newValue }
    }
}
