/// What kind of media it is; the receiver adds it (protocol notes, 6.5).
public struct MediaCategory: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Sound.
    public static let audio = MediaCategory(rawValue: "AUDIO")
    /// A picture.
    public static let image = MediaCategory(rawValue: "IMAGE")
    /// Moving pictures.
    public static let video = MediaCategory(rawValue: "VIDEO")
}
