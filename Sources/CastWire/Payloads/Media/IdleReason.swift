/// Why a player is idle (protocol notes, 6.3).
public struct IdleReason: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A sender stopped it.
    public static let cancelled = IdleReason(rawValue: "CANCELLED")
    /// Another load replaced it.
    public static let interrupted = IdleReason(rawValue: "INTERRUPTED")
    /// The media ended.
    public static let finished = IdleReason(rawValue: "FINISHED")
    /// The media failed.
    public static let error = IdleReason(rawValue: "ERROR")
}
