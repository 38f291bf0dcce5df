/// What a viewer thinks of the media (protocol notes, 6.2).
public struct UserAction: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Likes it.
    public static let like = UserAction(rawValue: "LIKE")
    /// Does not.
    public static let dislike = UserAction(rawValue: "DISLIKE")
    /// Follows.
    public static let follow = UserAction(rawValue: "FOLLOW")
    /// Does not follow any more.
    public static let unfollow = UserAction(rawValue: "UNFOLLOW")
    /// Marks it.
    public static let flag = UserAction(rawValue: "FLAG")
    /// Skips the clip of a break.
    public static let skipAd = UserAction(rawValue: "SKIP_AD")

    /// True for the actions of the protocol.
    public var isKnown: Bool { [.like, .dislike, .follow, .unfollow, .flag, .skipAd].contains(self) }
    /// The action that this one takes back, if there is one.
    public var opposite: UserAction? {
        switch self {
        case .like: .dislike
        case .dislike: .like
        case .follow: .unfollow
        case .unfollow: .follow
        default: nil
        }
    }
}

/// What a viewer's action is about (protocol notes, 6.2).
public struct UserActionContext: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An album.
    public static let album = UserActionContext(rawValue: "ALBUM")
    /// An artist.
    public static let artist = UserActionContext(rawValue: "ARTIST")
    /// A channel.
    public static let channel = UserActionContext(rawValue: "CHANNEL")
    /// A coach.
    public static let coach = UserActionContext(rawValue: "COACH")
    /// An episode.
    public static let episode = UserActionContext(rawValue: "EPISODE")
    /// A film.
    public static let movie = UserActionContext(rawValue: "MOVIE")
    /// A player.
    public static let player = UserActionContext(rawValue: "PLAYER")
    /// A playlist.
    public static let playlist = UserActionContext(rawValue: "PLAYLIST")
    /// A series.
    public static let series = UserActionContext(rawValue: "SERIES")
    /// A team.
    public static let team = UserActionContext(rawValue: "TEAM")
    /// A track.
    public static let track = UserActionContext(rawValue: "TRACK")
    /// Not said.
    public static let unknown = UserActionContext(rawValue: "UNKNOWN_CONTEXT")
}

/// What a viewer did with a medium (protocol notes, 6.5).
public struct UserActionState: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The action.
        public static let userAction = Field<UserAction>("userAction")
        /// Anything that sender and app agreed on.
        public static let customData = Field<JSONValue>("customData")
        /// What the action is about.
        public static let context = Field<UserActionContext>("userActionContext")
    }
}
