/// What a viewer's action is about (protocol notes, 6.2).
public struct UserActionContext: RawRepresentable, Hashable, Sendable {
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
