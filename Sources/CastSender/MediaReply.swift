public import CastWire

/// A MEDIA_STATUS: what is loaded and how it plays (protocol notes, 6.3).
public struct MediaReply: MessagePayload {
    /// The whole message.
    public var json: JSONObject

    /// Looks at a message.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The status; nil when nothing is loaded.
    public var status: MediaStatus? {
        self.json.array("status")?.first?.objectValue.map(MediaStatus.init)
    }
}
