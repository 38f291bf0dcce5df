/// The body of a LOAD, also the `loadRequestData` of a stored session (protocol notes, 6.2).
public struct LoadRequest: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// What to load.
        public static let media = Field<MediaInformation>("media")
        /// Whether it plays at once; nil means yes, or as the queue item says. The text `"false"` counts as true.
        public static let autoplay = Field<Bool>("autoplay")
        /// Where to start, in seconds; nil is the start, or the live edge.
        public static let currentTime = Field<Double>("currentTime")
        /// The speed.
        public static let playbackRate = Field<Double>("playbackRate")
        /// The tracks that are on.
        public static let activeTrackIDs = Field<[Int]>("activeTrackIds")
        /// The queue to load.
        public static let queueData = Field<QueueData>("queueData")
        /// The repeat mode; castv2 senders put it here instead of into the queue.
        public static let repeatMode = Field<RepeatMode>("repeatMode")
        /// The viewer's credentials.
        public static let credentials = Field<String>("credentials")
        /// Where the credentials come from.
        public static let credentialsType = Field<String>("credentialsType")
        /// Credentials for Android TV, which win there.
        public static let atvCredentials = Field<String>("atvCredentials")
        /// Where those come from.
        public static let atvCredentialsType = Field<String>("atvCredentialsType")
        /// Further options.
        public static let loadOptions = Field<JSONObject>("loadOptions")
        /// Anything that sender and app agreed on.
        public static let customData = Field<JSONValue>("customData")
    }
}

/// A state from which another device can go on (protocol notes, 6.3 and 8.5).
public struct SessionState: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// What to load.
        public static let loadRequestData = Field<LoadRequest>("loadRequestData")
        /// What the app adds.
        public static let customData = Field<JSONValue>("customData")
    }
}
