/// What brought a session back.
public enum SessionResumeCause: String, Sendable, Hashable, CaseIterable {
    /// The gateway was started, and the session still ran.
    case restart
    /// The device was out of reach, and is back.
    case network
    /// Playback was moved here from another device.
    case transfer
    /// It was suspended on request, and is resumed on request.
    case foreground
}
