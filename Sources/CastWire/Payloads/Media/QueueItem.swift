/// An item of a queue (protocol notes, 6.8).
public struct QueueItem: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// Its id, which the receiver gives.
    public var itemID: Int? {
        get { self[whole: "itemId"] }
        set { self[whole: "itemId"] = newValue }
    }

    /// What it plays.
    public var media: MediaInformation? {
        get { self[payload: "media"] }
        set { self[payload: "media"] = newValue }
    }

    /// Whether it plays at once; nil means yes.
    public var autoplay: Bool? {
        get { self[flag: "autoplay"] }
        set { self[flag: "autoplay"] = newValue }
    }

    /// Where it starts.
    public var startTime: Double? {
        get { self[number: "startTime"] }
        set { self[number: "startTime"] = newValue }
    }

    /// How long it plays; negative leaves out that much at the end.
    public var playbackDuration: Double? {
        get { self[number: "playbackDuration"] }
        set { self[number: "playbackDuration"] = newValue }
    }

    /// How long before its start it is prepared.
    public var preloadTime: Double? {
        get { self[number: "preloadTime"] }
        set { self[number: "preloadTime"] = newValue }
    }

    /// The tracks that are on.
    public var activeTrackIDs: [Int]? {
        get { self[wholes: "activeTrackIds"] }
        set { self[wholes: "activeTrackIds"] = newValue }
    }

    /// Its place before the queue was mixed.
    public var orderID: Int? {
        get { self[whole: "orderId"] }
        set { self[whole: "orderId"] = newValue }
    }

    /// Anything that sender and app agreed on.
    public var customData: JSONValue? {
        get { self.json["customData"] }
        set { self.json["customData"] = newValue }
    }

    /// The item without its id, fit for another queue: receivers give the ids.
    public var withoutID: QueueItem {
        var item = self
        item.itemID = nil
        return item
    }
}
