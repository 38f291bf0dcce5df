import CastWire

/// A word of `virtual_devices[].apps.ID.options.supported_commands`: one bit of `supportedMediaCommands` (protocol notes, 6.4).
package enum MediaCommandName: String, Sendable, CaseIterable {
    case pause
    case seek
    case streamVolume = "stream_volume"
    case streamMute = "stream_mute"
    case queueNext = "queue_next"
    case queuePrevious = "queue_previous"
    case queueShuffle = "queue_shuffle"
    case skipAd = "skip_ad"
    case repeatAll = "repeat_all"
    case repeatOne = "repeat_one"
    case editTracks = "edit_tracks"
    case playbackRate = "playback_rate"
    case like
    case dislike
    /// Follows the maker of what plays.
    case follow
    case unfollow
    /// The command STORE_SESSION.
    case streamTransfer = "stream_transfer"

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
