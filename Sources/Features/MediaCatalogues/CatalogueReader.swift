import CastWire
import HTTPFetching
import NIOCore

/// Reads the text of a list: that of the Cast sample apps (categories with videos), or a plain list of media as the protocol has them.
///
/// The list of the sample apps names folders once for each category, `hls`, `dash`, `mp4`, `images` and `tracks`, and files below them.
/// An address that is whole stays as it is, one without a folder stands beside the list. An entry that names nothing that can be played
/// is left out and counted.
struct CatalogueReader {
    /// The most sources, pictures and tracks of one item that are taken.
    private static let longestList = 64
    private static let longestID = 128
    /// The number of values an item has, on the average of a long list.
    private static let valuesOfItem = 60

    /// The address of the list, after redirects; nil for one in a file, whose addresses have to be whole.
    private let place: OutboundURL?
    private let maximumItems: Int
    private var list = CatalogueList()
    private var ids: Set<String> = []
    /// The number of times an id was wanted, so that many items of one title are not searched for again and again.
    private var wanted: [String: Int] = [:]

    private init(place: OutboundURL?, maximumItems: Int) {
        self.place = place
        self.maximumItems = maximumItems
    }

    /// Reads a list.
    /// - Parameters:
    ///   - text: JSON, of a bounded length.
    ///   - place: where it was fetched, after redirects; nil for one in a file.
    ///   - maximumItems: how many entries it may have.
    /// - Throws: ``CatalogueFault``: `malformed` for what is no list or has nothing that can be played, `too_large` for too many entries.
    static func read(
        _ text: ByteBuffer, from place: OutboundURL?, maximumItems: Int
    ) throws(CatalogueFault) -> CatalogueList {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.read(
                document: text, maximumValues: max(JSONReader.maximumValues, maximumItems * Self.valuesOfItem))
        } catch {
            guard error.reason != .tooMany else { throw CatalogueFault("too_large", "it has too many values") }
            throw .malformed("it is no JSON: \(error)")
        }
        var reader = CatalogueReader(place: place, maximumItems: maximumItems)
        if let categories = json.objectValue?.array("categories") {
            for category in categories { try reader.add(category: category.objectValue ?? [:]) }
        } else if let media = json.arrayValue ?? json.objectValue?.array("items") {
            for medium in media { try reader.add(medium: medium) }
        } else {
            throw .malformed("it has neither 'categories' nor a list of media")
        }
        guard !reader.list.items.isEmpty || reader.list.skipped == 0 else {
            throw .malformed("none of its \(reader.list.skipped) entries can be played")
        }
        return reader.list
    }

    // MARK: Media of the protocol

    private mutating func add(medium json: JSONValue) throws(CatalogueFault) {
        try self.count()
        // As in a queue, the medium may be below `media`.
        guard let object = json.objectValue?.object("media") ?? json.objectValue else { return self.skip() }
        var medium = MediaInformation(json: object)
        let own = [medium.playableURL.map { CatalogueItem.Source(url: $0, contentType: medium.contentType) }]
        let sources = own.compactMap { $0 } + self.sources(object.array("sources") ?? []) { _ in nil }
        guard !sources.isEmpty else { return self.skip() }
        medium.json["sources"] = nil
        self.append(medium, sources, wishes: [object.string("id"), medium.metadata?.title], category: nil)
    }

    // MARK: Videos of the sample apps

    private mutating func add(category: JSONObject) throws(CatalogueFault) {
        for video in category.array("videos") ?? [] {
            try self.count()
            guard let video = video.objectValue else {
                self.skip()
                continue
            }
            let sources = self.sources(video.array("sources") ?? []) { category.string($0) }
            guard !sources.isEmpty else {
                self.skip()
                continue
            }
            var medium = MediaInformation()
            medium.streamType = video.bool("live") == true ? .live : .buffered
            if let duration = video.double("duration"), duration.isFinite, duration > 0 { medium.duration = duration }
            medium.metadata = self.metadata(of: video, category)
            let tracks = self.tracks(of: video, category)
            if !tracks.isEmpty { medium.tracks = tracks }
            self.append(
                medium, sources, wishes: [video.string("id"), video.string("title")], category: category.string("name"))
        }
    }

    private func metadata(of video: JSONObject, _ category: JSONObject) -> MediaMetadata {
        var metadata = MediaMetadata(.movie)
        metadata.title = video.string("title")
        metadata.subtitle = video.string("subtitle")
        metadata.studio = video.string("studio")
        metadata.images = self.images(of: video, category)
        return metadata
    }

    /// The pictures: those with their size in the name of the key, in the order of the list, before those without.
    private func images(of video: JSONObject, _ category: JSONObject) -> [MediaImage] {
        var sized: [MediaImage] = []
        var others: [MediaImage] = []
        for (name, value) in video.members.prefix(Self.longestList) {
            guard let path = value.stringValue, let url = self.address(path, below: category.string("images")) else {
                continue
            }
            if name.hasPrefix("image-"), let size = Self.size(name.dropFirst("image-".count)) {
                var image = MediaImage(json: ["url": .string(url)])
                image.width = size.0
                image.height = size.1
                sized.append(image)
            } else if name == "image" || name == "thumb" {
                others.append(MediaImage(json: ["url": .string(url)]))
            }
        }
        return sized + others
    }

    /// Width and height of `480x270`.
    private static func size(_ text: Substring) -> (Int, Int)? {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (1...100_000).contains(width), (1...100_000).contains(height)
        else { return nil }
        return (width, height)
    }

    private func tracks(of video: JSONObject, _ category: JSONObject) -> [MediaTrack] {
        var tracks: [MediaTrack] = []
        var ids: Set<Int> = []
        for element in (video.array("tracks") ?? []).prefix(Self.longestList) {
            guard let element = element.objectValue,
                let id = element.int("id") ?? element.string("id").flatMap({ Int($0) }), id >= 0,
                ids.insert(id).inserted,
                let url = element.string("contentId").flatMap({ self.address($0, below: category.string("tracks")) })
            else { continue }
            var track = MediaTrack()
            track.trackID = id
            track.type = MediaTrackType(rawValue: (element.string("type") ?? "text").uppercased())
            if track.type == .text {
                track.subtype = TextTrackSubtype(rawValue: (element.string("subtype") ?? "subtitles").uppercased())
            }
            track.name = element.string("name")
            track.language = element.string("language")
            track.trackContentID = url
            let type = element.string("mime") ?? (track.type == .text ? TextTrackType.webVTT.rawValue : nil)
            track.trackContentType = type.map { TextTrackType(rawValue: $0) }
            tracks.append(track)
        }
        return tracks
    }

    // MARK: Parts

    /// Sources as the sample apps have them, or texts, which are addresses.
    /// - Parameter folder: the folder of a kind of source.
    private func sources(_ list: [JSONValue], folder: (String) -> String?) -> [CatalogueItem.Source] {
        list.prefix(Self.longestList).compactMap { element in
            switch element {
            case .string(let text):
                return self.address(text, below: nil).map { CatalogueItem.Source(url: $0) }
            case .object(let object):
                guard let path = object.string("url") else { return nil }
                let kind = object.string("type") ?? ""
                return self.address(path, below: folder(kind)).map {
                    CatalogueItem.Source(url: $0, contentType: object.string("mime") ?? Self.types[kind])
                }
            default: return nil
            }
        }
    }

    private static let types = [
        "mp4": "video/mp4", "hls": "application/x-mpegurl", "dash": "application/dash+xml", "webm": "video/webm",
    ]

    /// The whole address of something that a list names.
    private func address(_ path: String, below folder: String?) -> String? {
        guard !path.isEmpty, path.utf8.count <= 8192 else { return nil }
        if path.hasPrefix("http://") || path.hasPrefix("https://") { return path }
        if let folder, folder.utf8.count <= 8192, !folder.isEmpty {
            // As the sample apps do: one text behind the other.
            let whole = folder.hasSuffix("/") || path.hasPrefix("/") ? folder + path : "\(folder)/\(path)"
            return whole.hasPrefix("http://") || whole.hasPrefix("https://")
                ? whole : self.place?.resolving(whole)?.text
        }
        return self.place?.resolving(path)?.text
    }

    private func count() throws(CatalogueFault) {
        guard self.list.items.count + self.list.skipped < self.maximumItems else {
            throw CatalogueFault("too_large", "it has more than \(self.maximumItems) items")
        }
    }

    private mutating func skip() { self.list.skipped += 1 }

    private mutating func append(
        _ medium: MediaInformation, _ sources: [CatalogueItem.Source], wishes: [String?], category: String?
    ) {
        let wish = wishes.lazy.compactMap { $0.flatMap(Self.id) }.first ?? "item"
        self.list.items.append(
            CatalogueItem(id: self.unique(wish), category: category, medium: medium, sources: sources))
    }

    private mutating func unique(_ wish: String) -> String {
        var id = wish
        while !self.ids.insert(id).inserted {
            self.wanted[wish, default: 1] += 1
            id = "\(wish)-\(self.wanted[wish] ?? 2)"
        }
        return id
    }

    /// An id of a text: lower-case letters, digits and what is beyond ASCII, with `-` for anything between; nil when nothing is left.
    private static func id(_ text: String) -> String? {
        var id = ""
        for character in text.lowercased() {
            guard id.utf8.count + character.utf8.count <= Self.longestID else { break }
            if character.isLetter || character.isNumber {
                id.append(character)
            } else if !id.isEmpty, id.last != "-" {
                id.append("-")
            }
        }
        if id.last == "-" { id.removeLast() }
        return id.isEmpty ? nil : id
    }
}
