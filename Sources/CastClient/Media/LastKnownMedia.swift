public import CastWire

/// Where playback was when a media session ended, for whoever goes on elsewhere.
public struct LastKnownMedia: Hashable, Sendable {
    /// What was loaded.
    public let media: MediaInformation?
    /// Where it was, in seconds.
    public let position: Double
    /// What the player did before it ended.
    public let playerState: MediaPlayerState
    /// Why it ended; nil when the connection did.
    public let idleReason: IdleReason?
    /// The status before the end, as the receiver told it.
    public let status: MediaStatus
}
