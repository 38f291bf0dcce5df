public import CastWire
public import NIOCore

/// What a media client knows at one moment: the merged status, and when it was told.
///
/// Positions are computed, never asked for: give the present instant of the same clock.
public struct MediaSnapshot: Hashable, Sendable {
    /// The app that is connected, if any.
    public internal(set) var app: ReceiverApplication?
    /// True while an app with the media namespace is connected.
    public internal(set) var isAvailable = false
    /// The receiver's status with everything that it left out as unchanged; nil without a media session.
    public internal(set) var status: MediaStatus?
    /// When the status came; nil before the first one.
    public internal(set) var updatedAt: NIODeadline?
    /// How the last media session ended; survives the connection.
    public internal(set) var lastKnown: LastKnownMedia?
    /// The player's state without the idle moments between two items.
    public internal(set) var settledState = MediaPlayerState.unknown

    /// Knows nothing.
    public init() {}

    /// What is loaded, or is about to be.
    public var media: MediaInformation? { self.status?.media ?? self.status?.extendedStatus?.media }
    /// The media session; nil when nothing is loaded.
    public var mediaSessionID: Int? { self.status?.mediaSessionID ?? self.status?.extendedStatus?.mediaSessionID }
    /// What the player does.
    public var playerState: MediaPlayerState { MediaPlayerState(self.status) }
    /// Why the player is idle; nil in any other state.
    public var idleReason: IdleReason? { self.playerState == .idle ? self.status?.idleReason : nil }
    /// How fast it plays; 1 is normal.
    public var playbackRate: Double { self.status?.playbackRate ?? 1 }
    /// The stream's own volume, which is not the device's.
    public var streamVolume: MediaVolume? { self.status?.volume }
    /// The picture, when the receiver tells.
    public var videoInfo: VideoInfo? { self.status?.videoInfo }
    /// True while there is a media session that is not over.
    public var hasMediaSession: Bool { self.mediaSessionID != nil && self.playerState != .idle }

    /// True when the medium is a live stream that goes on.
    public var isLive: Bool {
        guard let media else { return false }
        if self.status?.liveSeekableRange?.isLiveDone == true { return false }
        return media.streamType == .live
    }

    /// True when the receiver says that it can do all of this.
    public func supports(_ commands: SupportedMediaCommands) -> Bool {
        self.status?.supportedMediaCommands.isSuperset(of: commands) ?? false
    }

    /// Seconds since the receiver last told of the status; nil before the first time.
    public func timeSinceUpdate(at now: NIODeadline) -> Double? {
        self.updatedAt.map { Double((now - $0).nanoseconds) / 1e9 }
    }
}
