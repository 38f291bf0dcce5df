/// What a player can do at the moment (protocol notes, 6.4).
public struct SupportedMediaCommands: OptionSet, Hashable, Sendable {
    /// The mask as it stands on the wire.
    public let rawValue: Int

    /// Takes a mask; unknown bits are kept.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// PAUSE.
    public static let pause = SupportedMediaCommands(rawValue: 1)
    /// SEEK.
    public static let seek = SupportedMediaCommands(rawValue: 2)
    /// Volume of the stream.
    public static let streamVolume = SupportedMediaCommands(rawValue: 4)
    /// Muting of the stream.
    public static let streamMute = SupportedMediaCommands(rawValue: 8)
    /// Old.
    public static let skipForward = SupportedMediaCommands(rawValue: 16)
    /// Old.
    public static let skipBackward = SupportedMediaCommands(rawValue: 32)
    /// There is a next item.
    public static let queueNext = SupportedMediaCommands(rawValue: 64)
    /// There is an item before.
    public static let queuePrevious = SupportedMediaCommands(rawValue: 128)
    /// Mixing.
    public static let queueShuffle = SupportedMediaCommands(rawValue: 256)
    /// The clip may be skipped now.
    public static let skipAd = SupportedMediaCommands(rawValue: 512)
    /// Repeating the queue.
    public static let queueRepeatAll = SupportedMediaCommands(rawValue: 1024)
    /// Repeating an item.
    public static let queueRepeatOne = SupportedMediaCommands(rawValue: 2048)
    /// Choice of tracks.
    public static let editTracks = SupportedMediaCommands(rawValue: 4096)
    /// Choice of speed.
    public static let playbackRate = SupportedMediaCommands(rawValue: 8192)
    /// LIKE.
    public static let like = SupportedMediaCommands(rawValue: 16384)
    /// DISLIKE.
    public static let dislike = SupportedMediaCommands(rawValue: 32768)
    /// FOLLOW.
    public static let follow = SupportedMediaCommands(rawValue: 65536)
    /// UNFOLLOW.
    public static let unfollow = SupportedMediaCommands(rawValue: 131072)
    /// STORE_SESSION and RESUME_SESSION.
    public static let streamTransfer = SupportedMediaCommands(rawValue: 262144)

    /// What every player can do while it loads, 12303.
    public static let basic: SupportedMediaCommands = [
        .pause, .seek, .streamVolume, .streamMute, .editTracks, .playbackRate,
    ]
    /// What the default receiver can do while it plays, 274447.
    public static let defaultReceiver: SupportedMediaCommands = [.basic, .streamTransfer]
}
