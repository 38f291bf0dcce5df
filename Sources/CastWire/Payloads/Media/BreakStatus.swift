/// Where a break is (protocol notes, 6.3).
public struct BreakStatus: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The break.
    public var breakID: String? {
        get { self[text: "breakId"] }
        set { self[text: "breakId"] = newValue }
    }

    /// The clip.
    public var breakClipID: String? {
        get { self[text: "breakClipId"] }
        set { self[text: "breakClipId"] = newValue }
    }

    /// Seconds of the break.
    public var currentBreakTime: Double? {
        get { self[number: "currentBreakTime"] }
        set { self[number: "currentBreakTime"] = newValue }
    }

    /// Seconds of the clip.
    public var currentBreakClipTime: Double? {
        get { self[number: "currentBreakClipTime"] }
        set { self[number: "currentBreakClipTime"] = newValue }
    }

    /// After how much of the clip it may be skipped.
    public var whenSkippable: Double? {
        get { self[number: "whenSkippable"] }
        set { self[number: "whenSkippable"] = newValue }
    }
}
