/// The picture that plays (protocol notes, 6.3).
public struct VideoInfo: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
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

    /// `sdr`, `hdr` or `dv`.
    public var hdrType: String? {
        get { self[text: "hdrType"] }
        set { self[text: "hdrType"] = newValue }
    }

    /// How much light it has: ``hdrType`` as one of the known words.
    public var hdr: HDRType? {
        get { self[raw: "hdrType"] }
        set { self[raw: "hdrType"] = newValue }
    }

    /// True for 2160 lines and more, what shops call 4K.
    public var isUltraHD: Bool { (self.width ?? 0) >= 3840 || (self.height ?? 0) >= 2160 }
}
