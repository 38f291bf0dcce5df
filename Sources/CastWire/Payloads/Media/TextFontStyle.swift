/// The style of a font (protocol notes, 6.7).
public struct TextFontStyle: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Normal.
    public static let normal = TextFontStyle(rawValue: "NORMAL")
    /// Bold.
    public static let bold = TextFontStyle(rawValue: "BOLD")
    /// Bold and italic.
    public static let boldItalic = TextFontStyle(rawValue: "BOLD_ITALIC")
    /// Italic.
    public static let italic = TextFontStyle(rawValue: "ITALIC")
}
