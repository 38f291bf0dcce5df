package import CastWire
import ControlAPI
import GatewayConfig
package import GatewayOperations
package import MediaCatalogues
import MediaPictures

/// `catalogue.list`
struct ListCatalogues: GatewayOperation {
    static let name: OperationName = "catalogue.list"
    static let route = OperationRoute(.get, "/catalogues")
    static let scope = OperationScope.read
    static let reach = OperationReach.anyone
    static let summary = "Lists the catalogues, with how each stands"
    static let result = CatalogueListResult.result("The catalogues")

    /// Keeps the lists.
    let catalogues: Catalogues

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        CatalogueListResult.json(self.catalogues.standings.map { ($0, caller) })
    }
}

/// `catalogue.get`
struct GetCatalogue: GatewayOperation {
    struct Input: OperationInput {
        var catalogue = ""
        var category: String?
        var search: String?
        var offset = 0
        var limit = 50

        static let keys: [Key] = [
            .catalogue(\.catalogue),
            .optional("category", \.category, .text(maximumBytes: 1024), "Only items of this category"),
            .optional(
                "search", \.search, .text(maximumBytes: 1024),
                "Only items with this text in the title, in capitals or not"),
            Key("offset", \.offset, .integer(0...1_000_000), "How many items are left out at the beginning"),
            Key("limit", \.limit, .integer(1...200), "How many items are wanted"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "catalogue.get"
    static let route = OperationRoute(.get, "/catalogues/{catalogue}")
    static let scope = OperationScope.read
    static let reach = OperationReach.anyone
    static let summary = "Shows the items of a catalogue, a page at a time"
    static let details = "`media.load` and items of queues take `catalogue` and `item` in the place of a medium."
    static let result = CataloguePageResult.result("The page")
    static let problems = [CatalogueMedia.unknownCatalogue, CatalogueMedia.notRead]

    /// Gives the media.
    let media: CatalogueMedia
    /// Fetches pictures.
    let pictures: Pictures

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let (standing, list) = try self.media.list(input.catalogue)
        let wanted = input.search?.lowercased()
        let found = list.items.filter { item in
            (input.category == nil || item.category == input.category)
                && (wanted.map { item.title.lowercased().contains($0) } ?? true)
        }
        var categories: [String] = []
        var known: Set<String> = []
        for category in list.items.compactMap(\.category) where known.insert(category).inserted {
            categories.append(category)
        }
        let givesPictures = self.pictures.isOn
        let page = found.dropFirst(input.offset).prefix(input.limit).map { item in
            CatalogueItemResult.Source(
                item: item, order: standing.prefer,
                pictures: givesPictures ? Self.paths(of: item, in: input.catalogue) : nil)
        }
        return CataloguePageResult.json(
            .init(
                catalogue: (standing, caller), total: found.count, offset: input.offset, categories: categories,
                page: page))
    }

    private static func paths(of item: CatalogueItem, in catalogue: String) -> [String] {
        let ids = PictureLookup.addresses(of: item).compactMap { PictureID(of: $0)?.description }
        return ids.map { PictureRoutes.path(of: .catalogue(catalogue), picture: $0) }
    }
}

/// `catalogue.refresh`
struct RefreshCatalogue: GatewayOperation {
    struct Input: OperationInput {
        var catalogue = ""

        static let keys: [Key] = [.catalogue(\.catalogue)]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "catalogue.refresh"
    static let route = OperationRoute(.post, "/catalogues/{catalogue}/refresh")
    static let scope = OperationScope.control
    static let reach = OperationReach.gateway
    static let summary = "Reads a catalogue now, and tells how it stands then"
    static let details =
        "One that cannot be read is no problem of the call: `state` is `failed`, and `reason` says why."
    static let result = CatalogueResult.result("How it stands")
    static let problems = [CatalogueMedia.unknownCatalogue]

    /// Reads the lists.
    let catalogues: Catalogues

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        guard let standing = await self.catalogues.refresh(input.catalogue) else {
            throw .missing("unknown_catalogue", "there is no catalogue '\(input.catalogue)'")
        }
        return CatalogueResult.json((standing, caller))
    }
}

/// The catalogues.
package struct CatalogueListResult: ResultRecord {
    package typealias Source = [CatalogueResult.Source]

    package let catalogues = Field("catalogues", listOf: CatalogueResult.self, "In the order of `gateway.yaml`") {
        $0
    }

    package static let layout = ResultLayout(CatalogueListResult())
}

/// A catalogue, without its items.
package struct CatalogueResult: ResultRecord {
    package typealias Source = (standing: CatalogueStatus, caller: Caller)

    package let catalogue = Field("catalogue", "Its name") { $0.standing.name }
    package let state = Field(
        "state",
        "Whether the list is there: `waiting` until it was tried; `failed` when it could not be read the last time, and the last "
            + "good list stays in use"
    ) { $0.standing.state }
    package let items = Field("items", "How many items the last good list has") { $0.standing.list?.items.count ?? 0 }
    package let skipped = Field(
        "skipped", "How many of its entries were left out, since they name nothing that can be played"
    ) { $0.standing.list?.skipped ?? 0 }
    package let read = Field.optional(
        "read", "When it was read or found unchanged the last time, in seconds since 1970; missing when never"
    ) { $0.standing.readAt.map { Int($0) } }
    package let tried = Field.optional(
        "tried", "When that was tried the last time, in seconds since 1970; missing when never"
    ) { $0.standing.triedAt.map { Int($0) } }
    package let code = Field.optional(
        "code", "Why it could not be read the last time, in a word, as in the event `catalogue.failed`"
    ) { $0.standing.fault?.code }
    // It names hosts and addresses of the gateway's network.
    package let reason = Field.optional(
        "reason", "The same in a sentence; not for callers that are limited to devices"
    ) { $0.caller.devices == nil ? $0.standing.fault?.reason : nil }

    package static let layout = ResultLayout(CatalogueResult())
}

/// A catalogue with a page of its items.
package struct CataloguePageResult: ResultRecord {
    package struct Source {
        let catalogue: CatalogueResult.Source
        let total: Int
        let offset: Int
        let categories: [String]
        let page: [CatalogueItemResult.Source]
    }

    package let catalogue = Embedded(CatalogueResult.self) { $0.catalogue }
    package let total = Field("total", "How many items there are that were asked for") { $0.total }
    package let offset = Field("offset", "How many of them are left out at the beginning") { $0.offset }
    package let categories = Field("categories", "The categories of the list, in its order") { $0.categories }
    package let page = Field("page", listOf: CatalogueItemResult.self, "The items, in the order of the list") {
        $0.page
    }

    package static let layout = ResultLayout(CataloguePageResult())
}

/// An item of a catalogue.
package struct CatalogueItemResult: ResultRecord {
    /// An item, the MIME types that are played first, and the paths of its pictures; nil when none are served.
    package struct Source {
        let item: CatalogueItem
        let order: [String]
        let pictures: [String]?
    }

    package let item = Field("item", "Its id in the catalogue") { $0.item.id }
    package let title = Field("title", "Its title, or nothing") { $0.item.title }
    package let category = Field.optional("category", "Where it stands in the list") { $0.item.category }
    package let sources = Field("sources", listOf: CatalogueSourceResult.self, "In which forms it can be played") {
        $0.item.sources
    }
    package let media = Field("media", "The medium as it is loaded, in the words of the protocol") {
        ($0.item.medium(as: nil, order: $0.order) ?? $0.item.medium).json
    }
    package let pictures = Field.optional(
        "cached_urls",
        "Where the API listener gives the bytes of its pictures, ten at most, as paths; missing when `pictures` is not in "
            + "`gateway.yaml`"
    ) { $0.pictures }

    package static let layout = ResultLayout(CatalogueItemResult())
}

/// One form in which an item of a catalogue can be played.
package struct CatalogueSourceResult: ResultRecord {
    package typealias Source = CatalogueItem.Source

    package let url = Field("url", "Where it is") { $0.url }
    package let contentType = Field.optional("content_type", "Its MIME type") { $0.contentType }

    package static let layout = ResultLayout(CatalogueSourceResult())
}

extension ConfigKey {
    /// The key `catalogue` of an operation on one.
    fileprivate static func catalogue(_ path: ConfigProperty<Root, String>) -> ConfigKey {
        .required(
            "catalogue", path, .text(allowed: "a-z0-9_-", length: 1...32), "The catalogue as `catalogue.list` has it",
            example: "films")
    }
}
