/// The window behind text (protocol notes, 6.7).
public struct TextWindowType: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// None.
    public static let none = TextWindowType(rawValue: "NONE")
    /// A rectangle.
    public static let normal = TextWindowType(rawValue: "NORMAL")
    /// A rectangle with round corners.
    public static let roundedCorners = TextWindowType(rawValue: "ROUNDED_CORNERS")
}
