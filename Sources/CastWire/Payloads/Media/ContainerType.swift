/// What holds the items of a queue (protocol notes, 6.8).
public struct ContainerType: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: Int

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Anything.
    public static let generic = ContainerType(rawValue: 0)
    /// An audiobook.
    public static let audiobook = ContainerType(rawValue: 1)
}
