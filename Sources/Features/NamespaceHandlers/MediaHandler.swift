import CastWire
import GatewayCore
import Logging

/// The media namespace: corrects in LOAD and similar requests what some senders get wrong and some devices do not accept.
///
/// catt sends `streamType: null`, VLC `autoplay: "false"` as text, SDK senders may give `contentUrl` without
/// `contentId` (protocol notes, 6.2; client notes, 4 and 5). What is right goes on as the exact bytes that came.
struct MediaHandler: MessageHandler {
    let name = "media"
    let claims = [Claim(.exact(.media))]

    private static let loadingTypes: Set<String> = ["LOAD", "QUEUE_LOAD", "QUEUE_INSERT", "QUEUE_UPDATE", "PRELOAD"]

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        context.logger.trace("Handling", metadata: message.message.logMetadata)
        guard let type = message.summary.type, Self.loadingTypes.contains(type),
            let original = message.message.payload.jsonObject
        else { return .forward }
        let mended = Self.mend(original)
        guard mended != original else { return .forward }
        return .forward(.json(mended))
    }

    /// A LOAD body, a queue request or a queue item, with what stands in it mended.
    private static func mend(_ body: JSONObject) -> JSONObject {
        var body = body
        if case .string = body["autoplay"] { body["autoplay"] = true }
        if let media = body.object("media") { body["media"] = .object(Self.mendMedia(media)) }
        if let items = body.array("items") {
            body["items"] = .array(items.map { $0.objectValue.map { .object(Self.mend($0)) } ?? $0 })
        }
        if let queue = body.object("queueData"), let items = queue.array("items") {
            var queue = queue
            queue["items"] = .array(items.map { $0.objectValue.map { .object(Self.mend($0)) } ?? $0 })
            body["queueData"] = .object(queue)
        }
        return body
    }

    private static func mendMedia(_ media: JSONObject) -> JSONObject {
        var media = media
        if media["streamType"] == .null { media["streamType"] = "BUFFERED" }
        if media.string("contentId") == nil, let url = media.string("contentUrl") { media["contentId"] = .string(url) }
        if let tracks = media.array("tracks") { media["tracks"] = .array(tracks.map(Self.mendTrack)) }
        return media
    }

    /// Track ids are numbers; some catalogues hold them as text.
    private static func mendTrack(_ track: JSONValue) -> JSONValue {
        guard case .object(var object) = track, let text = object.string("trackId"), let number = Int(text) else {
            return track
        }
        object["trackId"] = .number(number)
        return .object(object)
    }
}
