/// The kind of metadata (protocol notes, 6.6); apps use 100 and above.
public struct MediaMetadataType: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: Int

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Anything.
    public static let generic = MediaMetadataType(rawValue: 0)
    /// A film.
    public static let movie = MediaMetadataType(rawValue: 1)
    /// An episode.
    public static let tvShow = MediaMetadataType(rawValue: 2)
    /// A piece of music.
    public static let musicTrack = MediaMetadataType(rawValue: 3)
    /// A photo.
    public static let photo = MediaMetadataType(rawValue: 4)
    /// A chapter.
    public static let audiobookChapter = MediaMetadataType(rawValue: 5)

    /// The first of the kinds that apps define.
    public static let firstOfApps = 100
}
