/// What holds the items of a queue, such as an audiobook (protocol notes, 6.8).
public struct ContainerMetadata: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// What it is.
    public var containerType: ContainerType? {
        get { self[rawWhole: "containerType"] }
        set { self[rawWhole: "containerType"] = newValue }
    }

    /// Its title.
    public var title: String? {
        get { self[text: "title"] }
        set { self[text: "title"] = newValue }
    }

    /// Its length in seconds.
    public var duration: Double? {
        get { self[number: "containerDuration"] }
        set { self[number: "containerDuration"] = newValue }
    }

    /// Pictures.
    public var images: [MediaImage]? {
        get { self[payloads: "containerImages"] }
        set { self[payloads: "containerImages"] = newValue }
    }

    /// Its parts, such as chapters.
    public var sections: [MediaMetadata]? {
        get { self[payloads: "sections"] }
        set { self[payloads: "sections"] = newValue }
    }

    /// Who wrote an audiobook.
    public var authors: [String]? {
        get { self[texts: "authors"] }
        set { self[texts: "authors"] = newValue }
    }

    /// Who reads an audiobook.
    public var narrators: [String]? {
        get { self[texts: "narrators"] }
        set { self[texts: "narrators"] = newValue }
    }

    /// Who published an audiobook.
    public var publisher: String? {
        get { self[text: "publisher"] }
        set { self[text: "publisher"] = newValue }
    }

    /// When an audiobook came out, ISO 8601.
    public var releaseDate: String? {
        get { self[text: "releaseDate"] }
        set { self[text: "releaseDate"] = newValue }
    }
}
