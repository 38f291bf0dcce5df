/// The part of a live stream that can be reached (protocol notes, 6.3).
public struct LiveSeekableRange: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// Its start.
    public var start: Double? {
        get { self[number: "start"] }
        set { self[number: "start"] = newValue }
    }

    /// Its end, the live edge.
    public var end: Double? {
        get { self[number: "end"] }
        set { self[number: "end"] = newValue }
    }

    /// Whether the start moves.
    public var isMovingWindow: Bool? {
        get { self[flag: "isMovingWindow"] }
        set { self[flag: "isMovingWindow"] = newValue }
    }

    /// Whether the stream ended.
    public var isLiveDone: Bool? {
        get { self[flag: "isLiveDone"] }
        set { self[flag: "isLiveDone"] = newValue }
    }
}
