/// The body of a LOAD, also the `loadRequestData` of a stored session (protocol notes, 6.2).
public struct LoadRequest: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// What to load.
    public var media: MediaInformation? {
        get { self[payload: "media"] }
        set { self[payload: "media"] = newValue }
    }

    /// Whether it plays at once; nil means yes, or as the queue item says. The text `"false"` counts as true.
    public var autoplay: Bool? {
        get { self[flag: "autoplay"] }
        set { self[flag: "autoplay"] = newValue }
    }

    /// Where to start, in seconds; nil is the start, or the live edge.
    public var currentTime: Double? {
        get { self[number: "currentTime"] }
        set { self[number: "currentTime"] = newValue }
    }

    /// The speed.
    public var playbackRate: Double? {
        get { self[number: "playbackRate"] }
        set { self[number: "playbackRate"] = newValue }
    }

    /// The tracks that are on.
    public var activeTrackIDs: [Int]? {
        get { self[wholes: "activeTrackIds"] }
        set { self[wholes: "activeTrackIds"] = newValue }
    }

    /// The queue to load.
    public var queueData: QueueData? {
        get { self[payload: "queueData"] }
        set { self[payload: "queueData"] = newValue }
    }

    /// The repeat mode; castv2 senders put it here instead of into the queue.
    public var repeatMode: RepeatMode? {
        get { self[raw: "repeatMode"] }
        set { self[raw: "repeatMode"] = newValue }
    }

    /// The viewer's credentials.
    public var credentials: String? {
        get { self[text: "credentials"] }
        set { self[text: "credentials"] = newValue }
    }

    /// Where the credentials come from.
    public var credentialsType: String? {
        get { self[text: "credentialsType"] }
        set { self[text: "credentialsType"] = newValue }
    }

    /// Credentials for Android TV, which win there.
    public var atvCredentials: String? {
        get { self[text: "atvCredentials"] }
        set { self[text: "atvCredentials"] = newValue }
    }

    /// Where those come from.
    public var atvCredentialsType: String? {
        get { self[text: "atvCredentialsType"] }
        set { self[text: "atvCredentialsType"] = newValue }
    }

    /// Further options.
    public var loadOptions: JSONObject? {
        get { self[object: "loadOptions"] }
        set { self[object: "loadOptions"] = newValue }
    }

    /// Anything that sender and app agreed on.
    public var customData: JSONValue? {
        get { self.json["customData"] }
        set { self.json["customData"] = newValue }
    }
}
