/// What a seek leaves behind (protocol notes, 6.2).
public struct ResumeState: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The media plays.
    public static let start = ResumeState(rawValue: "PLAYBACK_START")
    /// The media is paused.
    public static let pause = ResumeState(rawValue: "PLAYBACK_PAUSE")
}
