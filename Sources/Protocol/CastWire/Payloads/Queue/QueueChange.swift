/// A QUEUE_CHANGE: what happened to a queue (protocol notes, 6.3).
public struct QueueChange: JSONPayload {
    /// The whole message.
    public var json: JSONObject

    /// Wraps a message; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// What happened.
        public static let changeType = Field<QueueChangeType>("changeType")
        /// The item that inserted ones stand before; nil means the end.
        public static let insertBefore = Field<Int>("insertBefore")
        /// The queue's count of changes.
        public static let sequenceNumber = Field<Int>("sequenceNumber")
    }

    /// The items that it happened to.
    public var itemIDs: [Int] {
        get { self[Field<[Int]>("itemIds")] ?? [] }
        set { self[Field<[Int]>("itemIds")] = newValue }
    }
}

/// What happened to a queue (protocol notes, 6.3).
public struct QueueChangeType: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Items were inserted.
    public static let insert = QueueChangeType(rawValue: "INSERT")
    /// Items were removed.
    public static let remove = QueueChangeType(rawValue: "REMOVE")
    /// The content of items changed.
    public static let itemsChange = QueueChangeType(rawValue: "ITEMS_CHANGE")
    /// The order changed.
    public static let update = QueueChangeType(rawValue: "UPDATE")
    /// Nothing.
    public static let noChange = QueueChangeType(rawValue: "NO_CHANGE")
}
