/// A state from which another device can go on (protocol notes, 6.3 and 8.5).
public struct SessionState: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// What to load.
    public var loadRequestData: LoadRequest? {
        get { self[payload: "loadRequestData"] }
        set { self[payload: "loadRequestData"] = newValue }
    }

    /// What the app adds.
    public var customData: JSONValue? {
        get { self.json["customData"] }
        set { self.json["customData"] = newValue }
    }
}
