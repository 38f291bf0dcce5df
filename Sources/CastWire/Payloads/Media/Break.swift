/// A break for advertisements (protocol notes, 6.7).
public struct Break: JSONPayload {
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

    /// The clips it plays, in order.
    public var breakClipIDs: [String]? {
        get { self[texts: "breakClipIds"] }
        set { self[texts: "breakClipIds"] = newValue }
    }

    /// Where it stands in the media, −1 is behind the end.
    public var position: Double? {
        get { self[number: "position"] }
        set { self[number: "position"] = newValue }
    }

    /// Its length.
    public var duration: Double? {
        get { self[number: "duration"] }
        set { self[number: "duration"] = newValue }
    }

    /// Whether it was played.
    public var isWatched: Bool? {
        get { self[flag: "isWatched"] }
        set { self[flag: "isWatched"] = newValue }
    }

    /// Whether its clips are part of the stream.
    public var isEmbedded: Bool? {
        get { self[flag: "isEmbedded"] }
        set { self[flag: "isEmbedded"] = newValue }
    }

    /// Whether its clips make the media longer.
    public var isExpanded: Bool? {
        get { self[flag: "expanded"] }
        set { self[flag: "expanded"] = newValue }
    }

    /// True for one behind the end of the media: position −1.
    public var isPostRoll: Bool { self.position == -1 }
}
