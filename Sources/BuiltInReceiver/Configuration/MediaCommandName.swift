import CastWire

/// A word of `virtual_devices[].apps.ID.options.supported_commands`: one bit of `supportedMediaCommands` (protocol notes, 6.4).
public enum MediaCommandName: String, Sendable, CaseIterable {
    /// PAUSE.
    case pause
    /// SEEK.
    case seek
    /// The level of the stream's volume.
    case streamVolume = "stream_volume"
    /// Muting of the stream.
    case streamMute = "stream_mute"
    /// The next item of the queue.
    case queueNext = "queue_next"
    /// The item before.
    case queuePrevious = "queue_previous"
    /// Mixing the queue.
    case queueShuffle = "queue_shuffle"
    /// Skipping the clip of a break.
    case skipAd = "skip_ad"
    /// Repeating the queue.
    case repeatAll = "repeat_all"
    /// Repeating an item.
    case repeatOne = "repeat_one"
    /// Choosing tracks.
    case editTracks = "edit_tracks"
    /// Choosing the speed.
    case playbackRate = "playback_rate"
    /// Liking what plays.
    case like
    /// Disliking it.
    case dislike
    /// Following its maker.
    case follow
    /// Following its maker no more.
    case unfollow
    /// STORE_SESSION.
    case streamTransfer = "stream_transfer"

    /// The bit.
    var command: SupportedMediaCommands {
        switch self {
        case .pause: .pause
        case .seek: .seek
        case .streamVolume: .streamVolume
        case .streamMute: .streamMute
        case .queueNext: .queueNext
        case .queuePrevious: .queuePrevious
        case .queueShuffle: .queueShuffle
        case .skipAd: .skipAd
        case .repeatAll: .queueRepeatAll
        case .repeatOne: .queueRepeatOne
        case .editTracks: .editTracks
        case .playbackRate: .playbackRate
        case .like: .like
        case .dislike: .dislike
        case .follow: .follow
        case .unfollow: .unfollow
        case .streamTransfer: .streamTransfer
        }
    }
}

extension SimulationOptions {
    /// The commands that the file lists; nil when it lists none.
    var listedCommands: SupportedMediaCommands? {
        self.supportedCommands.map { names in
            names.reduce(into: SupportedMediaCommands()) { $0.insert($1.command) }
        }
    }
}
