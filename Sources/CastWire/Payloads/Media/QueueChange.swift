/// A QUEUE_CHANGE: what happened to a queue (protocol notes, 6.3).
public struct QueueChange: JSONPayload {
    /// The whole message.
    public var json: JSONObject

    /// Looks at a message; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// What happened.
    public var changeType: QueueChangeType? {
        get { self[raw: "changeType"] }
        set { self[raw: "changeType"] = newValue }
    }

    /// The items that it happened to.
    public var itemIDs: [Int] {
        get { self[wholes: "itemIds"] ?? [] }
        set { self[wholes: "itemIds"] = newValue }
    }

    /// The item that inserted ones stand before; nil means the end.
    public var insertBefore: Int? {
        get { self[whole: "insertBefore"] }
        set { self[whole: "insertBefore"] = newValue }
    }

    /// The queue's count of changes.
    public var sequenceNumber: Int? {
        get { self[whole: "sequenceNumber"] }
        set { self[whole: "sequenceNumber"] = newValue }
    }
}
