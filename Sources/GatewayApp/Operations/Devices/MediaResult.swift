import CastClient
import CastWire
import GatewayOperations
import NIOCore

/// What operations say of what plays on a device.
enum MediaResult {
    static let members: [OperationResult.Member] = [
        .init("device", .text, "The device"),
        .init("kind", .word(DeviceReference.Kind.allCases.map(\.rawValue)), "Whether it is real or virtual"),
        .init(
            "player_state", .word(MediaPlayerState.allCases.map(\.rawValue)),
            "What the player does; `unknown` when nothing was loaded"),
        .optional(
            "idle_reason", .text, "Why the player is idle: `cancelled`, `interrupted`, `finished` or `error`"),
        .optional("app", .text, "The id of the app"),
        .optional("session_id", .text, "The device's id of the session"),
        .optional("media_session_id", .integer, "The device's number of what plays"),
        .optional("content_id", .text, "What plays, as the app calls it"),
        .optional("content_url", .text, "Where it is"),
        .optional("content_type", .text, "Its MIME type"),
        .optional("stream_type", .text, "`buffered`, `live` or `none`"),
        .optional("title", .text, "Its title"),
        .optional("duration", .number, "Its length, in seconds"),
        .optional("position", .number, "The seconds that have been played by now"),
        .optional("behind_live_edge", .number, "Of a live stream: the seconds behind its edge"),
        .optional("playback_rate", .number, "How fast it plays; 1 is normal"),
        .optional("stream_level", .number, "The loudness of the stream, from 0 to 1; not that of the device"),
        .optional("stream_muted", .boolean, "Whether the sound of the stream is off"),
        .optional("active_tracks", .list(.integer), "The ids of the tracks that are on"),
        .optional("item_id", .integer, "The queue item that plays"),
        .optional(
            "repeat_mode", .text,
            "What follows the end of a queue item: `off`, `all`, `single` or `all_and_shuffle`"),
        .optional("age", .number, "How many seconds ago the app told it"),
    ]

    static func result(_ summary: String) -> OperationResult { OperationResult(summary, Self.members) }

    /// How the media stands.
    static func json(_ device: any ControlledDevice, _ media: MediaSnapshot) -> JSONObject {
        var json: JSONObject = [
            "device": .string(device.name), "kind": .string(device.kind.rawValue),
            "player_state": .string(media.playerState.rawValue),
        ]
        json["idle_reason"] = media.idleReason.map { .string($0.word) }
        json["app"] = media.app?.appID.map { .string($0.rawValue) }
        json["session_id"] = media.app?.sessionID.map { .string($0) }
        guard let status = media.status else { return json }
        json["media_session_id"] = media.mediaSessionID.map { .number($0) }
        if let medium = media.media {
            json["content_id"] = medium.contentID.map { .string($0) }
            json["content_url"] = medium.contentURL.map { .string($0) }
            json["content_type"] = medium.contentType.map { .string($0) }
            json["stream_type"] = .string(medium.streamType.word)
            json["title"] = medium.metadata?.json.string("title").map { .string($0) }
            json["duration"] = Self.number(medium.duration)
        }
        json["position"] = Self.number(media.position(at: device.now))
        json["behind_live_edge"] = Self.number(media.behindLiveEdge(at: device.now))
        json["playback_rate"] = Self.number(media.playbackRate)
        json["stream_level"] = Self.number(status.volume?.level)
        json["stream_muted"] = status.volume?.isMuted.map { .bool($0) }
        json["active_tracks"] = status.activeTrackIDs.map { .array($0.map { .number($0) }) }
        json["item_id"] = status.currentItemID.map { .number($0) }
        json["age"] = Self.number(media.timeSinceUpdate(at: device.now).map { ($0 * 1000).rounded() / 1000 })
        json["repeat_mode"] = media.repeatMode.map { .string($0.word) }
        return json
    }

    /// JSON has no infinite numbers.
    private static func number(_ value: Double?) -> JSONValue? {
        value.flatMap { $0.isFinite ? .number($0) : nil }
    }
}
