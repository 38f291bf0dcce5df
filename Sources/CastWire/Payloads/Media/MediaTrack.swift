/// A track of a medium (protocol notes, 6.7).
public struct MediaTrack: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// Its id, also when spelled as text.
    public var trackID: Int? {
        get { self[whole: "trackId"] }
        set { self[whole: "trackId"] = newValue }
    }

    /// Its kind.
    public var type: MediaTrackType? {
        get { self[raw: "type"] }
        set { self[raw: "type"] = newValue }
    }

    /// The kind of text.
    public var subtype: String? {
        get { self[text: "subtype"] }
        set { self[text: "subtype"] = newValue }
    }

    /// Its name.
    public var name: String? {
        get { self[text: "name"] }
        set { self[text: "name"] = newValue }
    }

    /// RFC 5646.
    public var language: String? {
        get { self[text: "language"] }
        set { self[text: "language"] = newValue }
    }

    /// Its address.
    public var trackContentID: String? {
        get { self[text: "trackContentId"] }
        set { self[text: "trackContentId"] = newValue }
    }

    /// Its MIME type.
    public var trackContentType: String? {
        get { self[text: "trackContentType"] }
        set { self[text: "trackContentType"] = newValue }
    }

    /// Whether it is part of the stream.
    public var isInband: Bool? {
        get { self[flag: "isInband"] }
        set { self[flag: "isInband"] = newValue }
    }

    /// What it is for.
    public var roles: [String]? {
        get { self[texts: "roles"] }
        set { self[texts: "roles"] = newValue }
    }

    /// Anything that sender and app agreed on.
    public var customData: JSONValue? {
        get { self.json["customData"] }
        set { self.json["customData"] = newValue }
    }

    /// What a text track is for: ``subtype`` as one of the known words.
    public var textSubtype: TextTrackSubtype? {
        get { self[raw: "subtype"] }
        set { self[raw: "subtype"] = newValue }
    }

    /// The MIME type of a text track: ``trackContentType`` as one of the known ones.
    public var textType: TextTrackType? {
        get { self[raw: "trackContentType"] }
        set { self[raw: "trackContentType"] = newValue }
    }

    /// What an audio track sounds like; receivers add it.
    public var audioTrackInfo: AudioTrackInfo? {
        get { self[payload: "audioTrackInfo"] }
        set { self[payload: "audioTrackInfo"] = newValue }
    }
}
