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
    public var json: JSONObject { self.fields.json }

    private var fields: [EventField] {
        [
            .optional("content_id", self.contentID, "What was loaded, as the app calls it"),
            .optional("title", self.title, "Its title"),
            EventField("position", self.position.isFinite ? self.position : 0, "Where the player was, in seconds"),
            EventField("player_state", self.playerState, "What the player did: `playing`, `paused`, `buffering`"),
            EventField(
                "autoplay", self.autoplay,
                "Whether a player that goes on with it would play at once: it was neither paused nor at its end"),
        ]
    }

    /// The field of events of what has ended.
    static func field(_ last: LastPlayback?) -> EventField {
        let blank = LastPlayback(contentID: nil, title: nil, position: 0, playerState: "", autoplay: false)
        return EventField.optional(
            "last", last?.json, "What played last, for a player that goes on with it; missing when nothing did",
            as: .object(blank.fields.members)
        ).forPlugins(as: nil)
    }
}
