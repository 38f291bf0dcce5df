/// A queue as a whole (protocol notes, 6.8).
public struct QueueData: JSONPayload {
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

    /// Its name.
    public var name: String? {
        get { self[text: "name"] }
        set { self[text: "name"] = newValue }
    }

    /// Its description.
    public var summary: String? {
        get { self[text: "description"] }
        set { self[text: "description"] = newValue }
    }

    /// A deep link.
    public var entity: String? {
        get { self[text: "entity"] }
        set { self[text: "entity"] = newValue }
    }

    /// What it is.
    public var queueType: QueueType? {
        get { self[raw: "queueType"] }
        set { self[raw: "queueType"] = newValue }
    }

    /// What follows the end of an item.
    public var repeatMode: RepeatMode? {
        get { self[raw: "repeatMode"] }
        set { self[raw: "repeatMode"] = newValue }
    }

    /// Whether it is mixed.
    public var isShuffled: Bool? {
        get { self[flag: "shuffle"] }
        set { self[flag: "shuffle"] = newValue }
    }

    /// Its items.
    public var items: [QueueItem]? {
        get { self[payloads: "items"] }
        set { self[payloads: "items"] = newValue }
    }

    /// Which item plays first, from 0.
    public var startIndex: Int? {
        get { self[whole: "startIndex"] }
        set { self[whole: "startIndex"] = newValue }
    }

    /// Where that item starts.
    public var startTime: Double? {
        get { self[number: "startTime"] }
        set { self[number: "startTime"] = newValue }
    }

    /// What to show of the whole.
    public var containerMetadata: JSONObject? {
        get { self[object: "containerMetadata"] }
        set { self[object: "containerMetadata"] = newValue }
    }

    /// What holds the items: ``containerMetadata``, typed.
    public var container: ContainerMetadata? {
        get { self[payload: "containerMetadata"] }
        set { self[payload: "containerMetadata"] = newValue }
    }
}
