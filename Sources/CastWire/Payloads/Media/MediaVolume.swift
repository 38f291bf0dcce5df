/// The volume of a stream, or a change of it (protocol notes, 6.3).
public struct MediaVolume: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// 0 to 1.
    public var level: Double? {
        get { self[number: "level"] }
        set { self[number: "level"] = newValue }
    }

    /// Whether it is silent.
    public var isMuted: Bool? {
        get { self[flag: "muted"] }
        set { self[flag: "muted"] = newValue }
    }
}
