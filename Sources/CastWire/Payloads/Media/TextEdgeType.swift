/// The edge of text (protocol notes, 6.7).
public struct TextEdgeType: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// None.
    public static let none = TextEdgeType(rawValue: "NONE")
    /// An outline.
    public static let outline = TextEdgeType(rawValue: "OUTLINE")
    /// A shadow.
    public static let dropShadow = TextEdgeType(rawValue: "DROP_SHADOW")
    /// Raised.
    public static let raised = TextEdgeType(rawValue: "RAISED")
    /// Depressed.
    public static let depressed = TextEdgeType(rawValue: "DEPRESSED")
}
