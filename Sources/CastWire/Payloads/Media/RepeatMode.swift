/// What follows the end of an item (protocol notes, 6.3).
public struct RepeatMode: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The next item; nothing after the last.
    public static let off = RepeatMode(rawValue: "REPEAT_OFF")
    /// The next item; the first after the last.
    public static let all = RepeatMode(rawValue: "REPEAT_ALL")
    /// The same item.
    public static let single = RepeatMode(rawValue: "REPEAT_SINGLE")
    /// The next item; after the last the queue is mixed and starts again.
    public static let allAndShuffle = RepeatMode(rawValue: "REPEAT_ALL_AND_SHUFFLE")

    /// True for the modes of the protocol.
    public var isKnown: Bool { [.off, .all, .single, .allAndShuffle].contains(self) }
    /// True when the queue starts again after its last item.
    public var wraps: Bool { self == .all || self == .allAndShuffle }
}
