import CastWire
import ControlAPI
import GatewayConfig
import GatewayOperations
import MediaCatalogues
import MediaPictures

/// What operations say of catalogues.
private enum CatalogueResult {
    static let members: [OperationResult.Member] = [
        .init("catalogue", .text, "Its name"),
        .init(
            "state", .word(CatalogueStanding.State.allCases.map(\.rawValue)),
            "Whether the list is there: `waiting` until it was tried; `failed` when it could not be read the last time, and the last "
                + "good list stays in use"),
        .init("items", .integer, "How many items the last good list has"),
        .init("skipped", .integer, "How many of its entries were left out, since they name nothing that can be played"),
        .optional(
            "read", .integer,
            "When it was read or found unchanged the last time, in seconds since 1970; missing when never"),
        .optional("tried", .integer, "When that was tried the last time, in seconds since 1970; missing when never"),
        .optional(
            "code", .text, "Why it could not be read the last time, in a word, as in the event `catalogue.failed`"),
        .optional("reason", .text, "The same in a sentence; not for callers that are limited to devices"),
    ]

    static func json(_ standing: CatalogueStanding, for caller: Caller) -> JSONObject {
        var json: JSONObject = [
            "catalogue": .string(standing.name), "state": .string(standing.state.rawValue),
            "items": .number(standing.list?.items.count ?? 0), "skipped": .number(standing.list?.skipped ?? 0),
        ]
        json["read"] = standing.readAt.map { .number(Int($0)) }
        json["tried"] = standing.triedAt.map { .number(Int($0)) }
        json["code"] = standing.fault.map { .string($0.code) }
        // It names hosts and addresses of the gateway's network.
        if caller.devices == nil { json["reason"] = standing.fault.map { .string($0.reason) } }
        return json
    }
}

/// `catalogue.list`
struct ListCatalogues: GatewayOperation {
    static let name: OperationName = "catalogue.list"
    static let route = OperationRoute(.get, "/catalogues")
    static let scope = OperationScope.read
    static let reach = OperationReach.anyone
    static let summary = "Lists the catalogues, with how each stands"
    static let result = OperationResult(
        "The catalogues",
        [.init("catalogues", .list(.object(CatalogueResult.members)), "In the order of `gateway.yaml`")])

    /// Keeps the lists.
    let catalogues: Catalogues

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        ["catalogues": .array(self.catalogues.standings.map { .object(CatalogueResult.json($0, for: caller)) })]
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
    static let result = OperationResult(
        "The page",
        CatalogueResult.members + [
            .init("total", .integer, "How many items there are that were asked for"),
            .init("offset", .integer, "How many of them are left out at the beginning"),
            .init("categories", .list(.text), "The categories of the list, in its order"),
            .init(
                "page",
                .list(
                    .object([
                        .init("item", .text, "Its id in the catalogue"), .init("title", .text, "Its title, or nothing"),
                        .optional("category", .text, "Where it stands in the list"),
                        .init(
                            "sources",
                            .list(
                                .object([
                                    .init("url", .text, "Where it is"),
                                    .optional("content_type", .text, "Its MIME type"),
                                ])), "In which forms it can be played"),
                        .init("media", .map(.anything), "The medium as it is loaded, in the words of the protocol"),
                        .optional(
                            "cached_urls", .list(.text),
                            "Where the API listener gives the bytes of its pictures, ten at most, as paths; missing when `pictures` is not in "
                                + "`gateway.yaml`"),
                    ])), "The items, in the order of the list"),
        ])
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
        var json = CatalogueResult.json(standing, for: caller)
        json["total"] = .number(found.count)
        json["offset"] = .number(input.offset)
        json["categories"] = .array(categories.map { .string($0) })
        let givesPictures = self.pictures.isOn
        json["page"] = .array(
            found.dropFirst(input.offset).prefix(input.limit).map { item in
                var json = Self.json(item, standing.prefer)
                if givesPictures { json["cached_urls"] = Self.paths(of: item, in: input.catalogue) }
                return .object(json)
            })
        return json
    }

    private static func paths(of item: CatalogueItem, in catalogue: String) -> JSONValue {
        let ids = PictureDesk.addresses(of: item).compactMap { PictureID(of: $0)?.description }
        return .array(ids.map { .string(PictureRoutes.path(of: .catalogue(catalogue), picture: $0)) })
    }

    private static func json(_ item: CatalogueItem, _ order: [String]) -> JSONObject {
        var json: JSONObject = ["item": .string(item.id), "title": .string(item.title)]
        json["category"] = item.category.map { .string($0) }
        json["sources"] = .array(
            item.sources.map { source in
                var json: JSONObject = ["url": .string(source.url)]
                json["content_type"] = source.contentType.map { .string($0) }
                return .object(json)
            })
        json["media"] = .object(item.medium(as: nil, order: order)?.json ?? item.medium.json)
        return json
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
    static let result = OperationResult("How it stands", CatalogueResult.members)
    static let problems = [CatalogueMedia.unknownCatalogue]

    /// Reads the lists.
    let catalogues: Catalogues

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        guard let standing = await self.catalogues.refresh(input.catalogue) else {
            throw .missing("unknown_catalogue", "there is no catalogue '\(input.catalogue)'")
        }
        return CatalogueResult.json(standing, for: caller)
    }
}

extension ConfigKey {
    /// The key `catalogue` of an operation on one.
    fileprivate static func catalogue(_ path: ConfigProperty<Root, String>) -> ConfigKey {
        .required(
            "catalogue", path, .text(allowed: "a-z0-9_-", length: 1...32), "The catalogue as `catalogue.list` has it",
            example: "films")
    }
}
