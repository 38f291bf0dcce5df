package import CastClient
package import CastWire
import FeatureContract
import GatewayCore
package import GatewayOperations

/// An app that runs on a device, as operations answer with it.
package struct AppDescription: ResultRecord {
    package struct Source {
        let app: SessionFacts
        /// One element of MEDIA_STATUS's `status`.
        let media: JSONObject?
        let times: AppTimes
        let context: GatewayContext
    }

    package let app = Field("app", "The app's id") { $0.app.appID.rawValue }
    package let displayName = Field("display_name", "Its name") { $0.app.displayName }
    package let sessionID = Field("session_id", "The device's id of the session") { $0.app.sessionID }
    package let transportID = Field("transport_id", "The app's end of virtual connections") {
        $0.app.transportID.rawValue
    }
    package let versionCode = Field.optional(
        "version_code", "The number of its version, as the file gives it; missing where it gives none"
    ) { $0.app.versionCode }
    package let since = Field.optional("since", "When it was started, or seen first, in seconds since 1970") { source in
        source.times.started.map { source.context.seconds(of: $0) }
    }
    package let media = Field.optional(
        "media", AppMediaResult.self, "What it plays, as far as it has said; missing when nothing is loaded"
    ) { source in
        source.media.map { .init(status: MediaStatus(json: $0), times: source.times, context: source.context) }
    }

    package static let layout = ResultLayout(AppDescription())
}

/// The media of an app, as descriptions of apps and sessions have it.
package struct AppMediaResult: ResultRecord {
    package struct Source {
        let status: MediaStatus
        let times: AppTimes
        let context: GatewayContext

        var media: MediaInformation? { self.status.media ?? self.status.extendedStatus?.media }
        var metadata: JSONObject? { self.media?.json.object("metadata") }
    }

    package let playerState = Field("player_state", "What the player does") { MediaPlayerState($0.status) }
    package let mediaSessionID = Field.optional("media_session_id", "The device's number of what plays") {
        $0.status.mediaSessionID
    }
    package let since = Field.optional(
        "since", "Since when the player has been in that state with this item, in seconds since 1970"
    ) { source in source.times.playback.map { source.context.seconds(of: $0) } }
    package let title = Field.optional("title", "What plays, as the medium calls itself") {
        $0.metadata?.string("title")
    }
    package let subtitle = Field.optional("subtitle", "By whom it is, or of what it is a part") { source in
        let metadata = source.metadata
        return ["subtitle", "artist", "albumArtist", "seriesTitle", "studio"].lazy
            .compactMap { metadata?.string($0) }.first
    }
    package let streamType = Field.optional("stream_type", "`buffered`, `live` or `none`") { source in
        source.media?.json.string("streamType").map { StreamType(rawValue: $0).word }
    }
    package let duration = Field.optional("duration", "How long it is, in seconds") { $0.media?.duration }
    package let position = Field.optional("position", "Where the player is as this is answered, in seconds") {
        $0.times.position
    }
    package let rate = Field.optional("rate", "How fast it plays; 1 is normal") { $0.status.playbackRate }

    package static let layout = ResultLayout(AppMediaResult())
}
