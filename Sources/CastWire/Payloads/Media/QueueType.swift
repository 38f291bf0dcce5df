/// What a queue is (protocol notes, 6.8).
public struct QueueType: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An album.
    public static let album = QueueType(rawValue: "ALBUM")
    /// A list of music.
    public static let playlist = QueueType(rawValue: "PLAYLIST")
    /// A book.
    public static let audiobook = QueueType(rawValue: "AUDIOBOOK")
    /// A station.
    public static let radioStation = QueueType(rawValue: "RADIO_STATION")
    /// A podcast.
    public static let podcastSeries = QueueType(rawValue: "PODCAST_SERIES")
    /// A series.
    public static let tvSeries = QueueType(rawValue: "TV_SERIES")
    /// A list of videos.
    public static let videoPlaylist = QueueType(rawValue: "VIDEO_PLAYLIST")
    /// Television.
    public static let liveTV = QueueType(rawValue: "LIVE_TV")
    /// A film.
    public static let movie = QueueType(rawValue: "MOVIE")
}
