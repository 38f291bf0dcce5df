import CastClient
import CastWire
import GatewayCore
import GatewayOperations

/// What operations say of an app that runs on a device, and of what it plays.
enum AppDescription {
    /// Its members.
    static let members: [OperationResult.Member] = [
        .init("app", .text, "The app's id"),
        .init("display_name", .text, "Its name"),
        .init("session_id", .text, "The device's id of the session"),
        .init("transport_id", .text, "The app's end of virtual connections"),
        .optional(
            "version_code", .integer, "The number of its version, as the file gives it; missing where it gives none"),
        .optional("since", .integer, "When it was started, or seen first, in seconds since 1970"),
        .optional("media", .object(Self.media), "What it plays, as far as it has said; missing when nothing is loaded"),
    ]

    /// The members of what is played.
    static let media: [OperationResult.Member] = [
        .init("player_state", .word(MediaPlayerState.allCases.map(\.rawValue)), "What the player does"),
        .optional("media_session_id", .integer, "The device's number of what plays"),
        .optional(
            "since", .integer, "Since when the player has been in that state with this item, in seconds since 1970"),
        .optional("title", .text, "What plays, as the medium calls itself"),
        .optional("subtitle", .text, "By whom it is, or of what it is a part"),
        .optional("stream_type", .text, "`buffered`, `live` or `none`"),
        .optional("duration", .number, "How long it is, in seconds"),
        .optional("position", .number, "Where the player is as this is answered, in seconds"),
        .optional("rate", .number, "How fast it plays; 1 is normal"),
    ]

    /// One app.
    /// - Parameters:
    ///   - media: one element of MEDIA_STATUS's `status`.
    ///   - times: since when.
    static func json(
        _ app: SessionFacts, media: JSONObject?, times: AppTimes, in context: GatewayContext
    ) -> JSONObject {
        var json: JSONObject = [
            "app": .string(app.appID.rawValue), "display_name": .string(app.displayName),
            "session_id": .string(app.sessionID), "transport_id": .string(app.transportID.rawValue),
        ]
        if let version = app.versionCode { json["version_code"] = .number(version) }
        if let started = times.started { json["since"] = context.time(of: started) }
        if let media { json["media"] = .object(Self.json(media, times, in: context)) }
        return json
    }

    /// What an app plays.
    static func json(_ element: JSONObject, _ times: AppTimes, in context: GatewayContext) -> JSONObject {
        let status = MediaStatus(json: element)
        let media = status.media ?? status.extendedStatus?.media
        var json: JSONObject = ["player_state": .string(MediaPlayerState(status).rawValue)]
        if let id = status.mediaSessionID { json["media_session_id"] = .number(id) }
        if let since = times.playback { json["since"] = context.time(of: since) }
        let metadata = media?.json.object("metadata") ?? [:]
        if let title = metadata.string("title") { json["title"] = .string(title) }
        let under = ["subtitle", "artist", "albumArtist", "seriesTitle", "studio"].lazy.compactMap {
            metadata.string($0)
        }.first
        if let under { json["subtitle"] = .string(under) }
        if let type = media?.json.string("streamType") {
            json["stream_type"] = .string(StreamType(rawValue: type).word)
        }
        if let duration = media?.duration, duration.isFinite { json["duration"] = .number(duration) }
        if let position = times.position, position.isFinite { json["position"] = .number(position) }
        if let rate = status.playbackRate, rate.isFinite { json["rate"] = .number(rate) }
        return json
    }
}
