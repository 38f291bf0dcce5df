/// The kind of a track (protocol notes, 6.7).
public struct MediaTrackType: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Subtitles and the like.
    public static let text = MediaTrackType(rawValue: "TEXT")
    /// Sound.
    public static let audio = MediaTrackType(rawValue: "AUDIO")
    /// Pictures.
    public static let video = MediaTrackType(rawValue: "VIDEO")
}
