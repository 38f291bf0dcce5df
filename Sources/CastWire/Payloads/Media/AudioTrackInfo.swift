/// What the sound of an audio track is.
public struct AudioTrackInfo: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The codec, such as `mp4a.40.2`.
    public var codec: String? {
        get { self[text: "audioCodec"] }
        set { self[text: "audioCodec"] = newValue }
    }

    /// How many channels it has.
    public var channels: Int? {
        get { self[whole: "numAudioChannels"] }
        set { self[whole: "numAudioChannels"] = newValue }
    }

    /// Whether it is spatial.
    public var isSpatial: Bool? {
        get { self[flag: "spatialAudio"] }
        set { self[flag: "spatialAudio"] = newValue }
    }
}
