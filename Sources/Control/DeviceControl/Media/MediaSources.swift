import CastWire

/// An address that a device fetches something from when a load is carried out.
package struct MediaSource: Sendable, Hashable {
    /// What is there.
    package enum Role: String, Sendable, CaseIterable {
        /// What plays: a file, or a playlist of HLS or DASH.
        case media
        /// A text track.
        case track
        /// A picture of the metadata.
        case picture
        /// A clip of a break.
        case clip
    }

    /// What is there.
    var role: Role
    /// Where it is.
    var url: String
    /// The MIME type that the load says; nil when it says none.
    var type: String?
    /// The id of the track; nil for what is none.
    var track: Int?

    /// The most sources of one load that are looked at.
    static let limit = 32

    /// What a LOAD makes a device fetch, each address once for each role, in the order in which the message has them.
    /// - Parameter body: the message.
    /// - Returns: at most ``limit`` sources, and how many there are beside them.
    static func all(in body: JSONObject) -> (sources: [MediaSource], leftOut: Int) {
        let items = body.object("queueData")?.array("items") ?? []
        let media = [body.object("media")] + items.map { $0.objectValue?.object("media") }
        var seen: Set<String> = []
        var sources: [MediaSource] = []
        var leftOut = 0
        for source in media.compactMap({ $0 }).flatMap(Self.sources(of:))
        where seen.insert("\(source.role.rawValue) \(source.url)").inserted {
            if sources.count < Self.limit { sources.append(source) } else { leftOut += 1 }
        }
        return (sources, leftOut)
    }

    private static func sources(of medium: JSONObject) -> [MediaSource] {
        var sources: [MediaSource] = []
        // What an app calls by a name of its own is fetched by the app as it likes.
        if let url = medium.string("contentUrl") ?? medium.string("contentId"), url.contains("://") {
            sources.append(MediaSource(role: .media, url: url, type: medium.string("contentType")))
        }
        for track in medium.array("tracks")?.compactMap(\.objectValue) ?? [] {
            guard let url = track.string("trackContentId"), url.contains("://") else { continue }
            sources.append(
                MediaSource(
                    role: .track, url: url, type: track.string("trackContentType") ?? "text/vtt",
                    track: track.int("trackId")))
        }
        for clip in medium.array("breakClips")?.compactMap(\.objectValue) ?? [] {
            guard let url = clip.string("contentUrl") ?? clip.string("contentId"), url.contains("://") else { continue }
            sources.append(MediaSource(role: .clip, url: url, type: clip.string("contentType")))
        }
        for picture in medium.object("metadata")?.array("images")?.compactMap(\.objectValue) ?? [] {
            guard let url = picture.string("url") else { continue }
            sources.append(MediaSource(role: .picture, url: url, type: nil))
        }
        return sources
    }
}
