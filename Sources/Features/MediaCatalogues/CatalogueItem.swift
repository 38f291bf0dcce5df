package import CastWire

/// One item of a catalogue: what is shown of it, and where it can be played from.
package struct CatalogueItem: Sendable, Hashable {
    /// One form in which an item can be played.
    package struct Source: Sendable, Hashable {
        package var url: String
        /// Its MIME type; nil when the list does not tell.
        package var contentType: String?

        package init(url: String, contentType: String? = nil) {
            self.url = url
            self.contentType = contentType
        }
    }

    /// The name by which callers mean it, unique in its catalogue.
    package var id: String
    /// The category in which it stands; nil in a list without categories.
    package var category: String?
    /// The medium without a place: its metadata, tracks, duration and whatever else the list tells.
    package var medium: MediaInformation
    /// The sources that it can be played from, in the order of the list; at least one.
    package var sources: [Source]

    package var title: String { self.medium.metadata?.title ?? "" }

    /// The medium as it is loaded: one to one, with the source that fits best.
    /// - Parameters:
    ///   - contentType: the MIME type of the source that is wanted; nil for the best by `order`.
    ///   - order: the MIME types of sources, the best first; one that is not among them comes last.
    /// - Returns: nil when no source has the wanted type.
    package func medium(as contentType: String?, order: [String]) -> MediaInformation? {
        let source: Source?
        if let contentType {
            source = self.sources.first { $0.isOf(contentType) }
        } else {
            let best = order.lazy.compactMap { type in self.sources.first { $0.isOf(type) } }.first
            source = best ?? self.sources.first
        }
        guard let source else { return nil }
        var medium = self.medium
        if medium.json.string("contentId") == nil { medium.contentID = source.url }
        medium.contentURL = source.url
        if let type = source.contentType { medium.contentType = type }
        return medium
    }
}

extension CatalogueItem.Source {
    /// True if it is of a MIME type: upper case and parameters make no difference, nor do the two names of HLS.
    func isOf(_ contentType: String) -> Bool {
        self.contentType.map { Self.canonical($0) == Self.canonical(contentType) } ?? false
    }

    private static func canonical(_ type: String) -> String {
        let name = String(type.lowercased().prefix { $0 != ";" && $0 != " " })
        return name == "application/vnd.apple.mpegurl" ? "application/x-mpegurl" : name
    }
}

/// The contents of a list.
package struct CatalogueList: Sendable, Hashable {
    /// The items, in the order of the list.
    package var items: [CatalogueItem] = []
    /// The number of entries that were left out, since they name nothing that can be played.
    package var skipped = 0
}
