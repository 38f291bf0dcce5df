/// A clip of a break (protocol notes, 6.7).
public struct BreakClip: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// Its id.
    public var id: String? {
        get { self[text: "id"] }
        set { self[text: "id"] = newValue }
    }

    /// Its title.
    public var title: String? {
        get { self[text: "title"] }
        set { self[text: "title"] = newValue }
    }

    /// Its content id.
    public var contentID: String? {
        get { self[text: "contentId"] }
        set { self[text: "contentId"] = newValue }
    }

    /// Its address.
    public var contentURL: String? {
        get { self[text: "contentUrl"] }
        set { self[text: "contentUrl"] = newValue }
    }

    /// Its MIME type.
    public var contentType: String? {
        get { self[text: "contentType"] }
        set { self[text: "contentType"] = newValue }
    }

    /// Its length.
    public var duration: Double? {
        get { self[number: "duration"] }
        set { self[number: "duration"] = newValue }
    }

    /// A picture.
    public var posterURL: String? {
        get { self[text: "posterUrl"] }
        set { self[text: "posterUrl"] = newValue }
    }

    /// Where a click leads.
    public var clickThroughURL: String? {
        get { self[text: "clickThroughUrl"] }
        set { self[text: "clickThroughUrl"] = newValue }
    }

    /// After how much of it it may be skipped; negative or nil never.
    public var whenSkippable: Double? {
        get { self[number: "whenSkippable"] }
        set { self[number: "whenSkippable"] = newValue }
    }

    /// Where to fetch it.
    public var vastAdsRequest: JSONObject? {
        get { self[object: "vastAdsRequest"] }
        set { self[object: "vastAdsRequest"] = newValue }
    }

    /// Anything that sender and app agreed on.
    public var customData: JSONValue? {
        get { self.json["customData"] }
        set { self.json["customData"] = newValue }
    }

    /// Where to fetch it: ``vastAdsRequest``, typed.
    public var vast: AdsRequest? {
        get { self[payload: "vastAdsRequest"] }
        set { self[payload: "vastAdsRequest"] = newValue }
    }

    /// What its HLS segments are.
    public var hlsSegmentFormat: String? {
        get { self[text: "hlsSegmentFormat"] }
        set { self[text: "hlsSegmentFormat"] = newValue }
    }

    /// True when it may be skipped after some seconds; see ``whenSkippable``.
    public var isSkippable: Bool { (self.whenSkippable ?? -1) >= 0 }
}
