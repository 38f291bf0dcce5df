package import CastClient
import CastWire
package import GatewayOperations
import NIOCore

/// The media of a device, as operations answer with it.
package struct MediaResult: ResultRecord {
    /// A device and what it says of its media.
    package struct Source {
        let device: any ControlledDevice
        let media: MediaSnapshot
    }

    package let device = Field("device", "The device") { $0.device.name }
    package let kind = Field("kind", "Whether it is real or virtual") { $0.device.kind }
    package let playerState = Field("player_state", "What the player does; `unknown` when nothing was loaded") {
        $0.media.playerState
    }
    package let idleReason = Field.optional(
        "idle_reason", "Why the player is idle: `cancelled`, `interrupted`, `finished` or `error`"
    ) { $0.media.idleReason?.word }
    package let app = Field.optional("app", "The id of the app") { $0.media.app?.appID?.rawValue }
    package let sessionID = Field.optional("session_id", "The device's id of the session") { $0.media.app?.sessionID }
    package let playing = Embedded(LoadedMediaResult.self) { source in
        source.media.status.map {
            LoadedMediaResult.Source(
                media: source.media, status: $0, medium: source.media.media, now: source.device.now)
        }
    }

    package static let layout = ResultLayout(MediaResult())

    static func json(_ device: any ControlledDevice, _ media: MediaSnapshot) -> JSONObject {
        Self.json(Source(device: device, media: media))
    }
}

/// The members of ``MediaResult`` that are there once something was loaded.
package struct LoadedMediaResult: ResultRecord {
    package struct Source {
        let media: MediaSnapshot
        let status: MediaStatus
        let medium: MediaInformation?
        let now: NIODeadline
    }

    package let mediaSessionID = Field.optional("media_session_id", "The device's number of what plays") {
        $0.media.mediaSessionID
    }
    package let contentID = Field.optional("content_id", "What plays, as the app calls it") { $0.medium?.contentID }
    package let contentURL = Field.optional("content_url", "Where it is") { $0.medium?.contentURL }
    package let contentType = Field.optional("content_type", "Its MIME type") { $0.medium?.contentType }
    package let streamType = Field.optional("stream_type", "`buffered`, `live` or `none`") {
        $0.medium?.streamType.word
    }
    package let title = Field.optional("title", "Its title") { $0.medium?.metadata?.json.string("title") }
    package let duration = Field.optional("duration", "Its length, in seconds") { $0.medium?.duration }
    package let position = Field.optional("position", "The seconds that have been played by now") {
        $0.media.position(at: $0.now)
    }
    package let behindLiveEdge = Field.optional("behind_live_edge", "Of a live stream: the seconds behind its edge") {
        $0.media.behindLiveEdge(at: $0.now)
    }
    package let playbackRate = Field.optional("playback_rate", "How fast it plays; 1 is normal") {
        $0.media.playbackRate
    }
    package let streamLevel = Field.optional(
        "stream_level", "The loudness of the stream, from 0 to 1; not that of the device"
    ) { $0.status.volume?.level }
    package let isStreamMuted = Field.optional("stream_muted", "Whether the sound of the stream is off") {
        $0.status.volume?.isMuted
    }
    package let activeTracks = Field.optional("active_tracks", "The ids of the tracks that are on") {
        $0.status.activeTrackIDs
    }
    package let itemID = Field.optional("item_id", "The queue item that plays") { $0.status.currentItemID }
    package let repeatMode = Field.optional(
        "repeat_mode", "What follows the end of a queue item: `off`, `all`, `single` or `all_and_shuffle`"
    ) { $0.media.repeatMode?.word }
    package let age = Field.optional("age", "How many seconds ago the app told it") {
        $0.media.timeSinceUpdate(at: $0.now).map { ($0 * 1000).rounded() / 1000 }
    }

    package static let layout = ResultLayout(LoadedMediaResult())
}
