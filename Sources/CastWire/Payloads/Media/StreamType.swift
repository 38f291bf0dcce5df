/// How a medium is delivered (protocol notes, 6.5).
public struct StreamType: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A file with an end.
    public static let buffered = StreamType(rawValue: "BUFFERED")
    /// A stream without one.
    public static let live = StreamType(rawValue: "LIVE")
    /// Not told, or a picture.
    public static let none = StreamType(rawValue: "NONE")
}
