/// A picture of a medium (protocol notes, 6.6).
public struct MediaImage: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// Its address.
    public var url: String? {
        get { self[text: "url"] }
        set { self[text: "url"] = newValue }
    }

    /// Pixels.
    public var width: Int? {
        get { self[whole: "width"] }
        set { self[whole: "width"] = newValue }
    }

    /// Pixels.
    public var height: Int? {
        get { self[whole: "height"] }
        set { self[whole: "height"] = newValue }
    }
}
