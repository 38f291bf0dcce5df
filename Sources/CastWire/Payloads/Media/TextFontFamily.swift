/// A family of fonts that every receiver has (protocol notes, 6.7).
public struct TextFontFamily: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Without serifs.
    public static let sansSerif = TextFontFamily(rawValue: "SANS_SERIF")
    /// Monospaced, without serifs.
    public static let monospacedSansSerif = TextFontFamily(rawValue: "MONOSPACED_SANS_SERIF")
    /// With serifs.
    public static let serif = TextFontFamily(rawValue: "SERIF")
    /// Monospaced, with serifs.
    public static let monospacedSerif = TextFontFamily(rawValue: "MONOSPACED_SERIF")
    /// Casual.
    public static let casual = TextFontFamily(rawValue: "CASUAL")
    /// Cursive.
    public static let cursive = TextFontFamily(rawValue: "CURSIVE")
    /// Small capitals.
    public static let smallCapitals = TextFontFamily(rawValue: "SMALL_CAPITALS")
}
