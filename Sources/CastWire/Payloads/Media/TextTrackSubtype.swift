/// What a text track is for (protocol notes, 6.7).
public struct TextTrackSubtype: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// What is said, translated.
    public static let subtitles = TextTrackSubtype(rawValue: "SUBTITLES")
    /// What is to be heard, for those who do not hear it.
    public static let captions = TextTrackSubtype(rawValue: "CAPTIONS")
    /// What is to be seen, for those who do not see it.
    public static let descriptions = TextTrackSubtype(rawValue: "DESCRIPTIONS")
    /// Titles of chapters.
    public static let chapters = TextTrackSubtype(rawValue: "CHAPTERS")
    /// For the app, not to be shown.
    public static let metadata = TextTrackSubtype(rawValue: "METADATA")
}
