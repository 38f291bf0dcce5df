/// What a player does (protocol notes, 6.3).
public struct PlayerState: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Nothing, or it loads.
    public static let idle = PlayerState(rawValue: "IDLE")
    /// It waits for data.
    public static let buffering = PlayerState(rawValue: "BUFFERING")
    /// It plays.
    public static let playing = PlayerState(rawValue: "PLAYING")
    /// It is paused.
    public static let paused = PlayerState(rawValue: "PAUSED")
    /// It loads; in `extendedStatus` only.
    public static let loading = PlayerState(rawValue: "LOADING")
}
