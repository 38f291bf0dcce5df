/// The volume of a device, or the parts of it that shall change (protocol notes, 5.2 and 5.6).
public struct ReceiverVolume: JSONPayload {
    /// The object under `volume`.
    public var json: JSONObject

    /// Looks at an object.
    public init(json: JSONObject) {
        self.json = json
    }

    /// Makes a volume of the parts that are given; a request has one or two of them, a status all four.
    public init(
        level: Double? = nil, muted: Bool? = nil, controlType: VolumeControlType? = nil, stepInterval: Double? = nil
    ) {
        self.json = [:]
        if let controlType { self.controlType = controlType }
        if let level { self.level = level }
        if let muted { self.muted = muted }
        if let stepInterval { self.stepInterval = stepInterval }
    }

    /// The loudness from 0 to 1, brought into that range however it was sent; nil when absent.
    public var level: Double? {
        get { self.json.double("level").flatMap { $0.isNaN ? nil : min(max($0, 0), 1) } }
        set { self.json["level"] = newValue.map(JSONValue.number) }
    }

    /// Whether the sound is off; nil when absent.
    public var muted: Bool? {
        get { self.json.bool("muted") }
        set { self.json["muted"] = newValue.map(JSONValue.bool) }
    }

    /// How the volume can be changed; nil when absent or unknown.
    public var controlType: VolumeControlType? {
        get { self.json.string("controlType").flatMap(VolumeControlType.init) }
        set { self.json["controlType"] = newValue.map { .string($0.rawValue) } }
    }

    /// By how much senders shall change the level at once, from 0 to 1; nil when absent.
    public var stepInterval: Double? {
        get { self.json.double("stepInterval") }
        set { self.json["stepInterval"] = newValue.map(JSONValue.number) }
    }
}
