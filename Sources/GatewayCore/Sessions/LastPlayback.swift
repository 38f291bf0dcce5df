public import CastWire

/// What played last in a session, for a player that goes on with it.
public struct LastPlayback: Hashable, Sendable {
    /// What was loaded, as the app calls it; nil when that is not known.
    public var contentID: String?
    /// The medium's title; nil when it has none.
    public var title: String?
    /// Where the player was, in seconds of the media.
    public var position: Double
    /// What the player did: `playing`, `paused`, `buffering`.
    public var playerState: String
    /// Whether a player that goes on with it would play at once: it was neither paused nor at its end.
    public var autoplay: Bool

    /// Collects what is known.
    public init(contentID: String?, title: String?, position: Double, playerState: String, autoplay: Bool) {
        self.contentID = contentID
        self.title = title
        self.position = position
        self.playerState = playerState
        self.autoplay = autoplay
    }

    /// The members that events and operations tell.
    public var json: JSONObject {
        var json: JSONObject = [:]
        if let contentID { json["content_id"] = .string(contentID) }
        if let title { json["title"] = .string(title) }
        json["position"] = .number(self.position.isFinite ? self.position : 0)
        json["player_state"] = .string(self.playerState)
        json["autoplay"] = .bool(self.autoplay)
        return json
    }
}
