/// An item of a queue (protocol notes, 6.8).
public struct QueueItem: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Its id, which the receiver gives.
        public static let itemID = Field<Int>("itemId")
        /// What it plays.
        public static let media = Field<MediaInformation>("media")
        /// Whether it plays at once; nil means yes.
        public static let autoplay = Field<Bool>("autoplay")
        /// Where it starts.
        public static let startTime = Field<Double>("startTime")
        /// How long it plays; negative leaves out that much at the end.
        public static let playbackDuration = Field<Double>("playbackDuration")
        /// How long before its start it is prepared.
        public static let preloadTime = Field<Double>("preloadTime")
        /// The tracks that are on.
        public static let activeTrackIDs = Field<[Int]>("activeTrackIds")
        /// Its place before the queue was mixed.
        public static let orderID = Field<Int>("orderId")
        /// Anything that sender and app agreed on.
        public static let customData = Field<JSONValue>("customData")
    }

    /// The item without its id, fit for another queue: receivers give the ids.
    public var withoutID: QueueItem {
        var item = self
        item.itemID = nil
        return item
    }
}
