import CastClient
import CastWire
import GatewayConfig
import GatewayOperations
import NIOCore

/// `queue.list`
struct ListQueue: DeviceControlOperation {
    struct Input: DeviceInput {
        var device = DeviceReference("")
        var offset = 0
        var limit = 50
        var reloads = false

        static let keys: [Key] = [
            .device(\.device),
            Key("offset", \.offset, .integer(0...1_000_000), "How many items are left out at the beginning"),
            Key("limit", \.limit, .integer(1...200), "How many items are wanted"),
            Key(
                "reload", \.reloads, .boolean,
                "Whether the app is asked for all of it anew, also for what is known of a queue that the gateway follows"
            ),
        ]

        init(blank: ConfigBlank) {}
    }

    /// Apps send as many items at once as fit into a message.
    private static let fetchSize = 20
    /// After that nothing more is asked for.
    private static let patience = TimeAmount.seconds(15)

    static let name: OperationName = "queue.list"
    static let route = OperationRoute(.get, "/devices/{device}/queue")
    static let scope = OperationScope.read
    static let reach = OperationReach.device
    static let summary = "Lists the items of the queue, a page at a time"
    static let details =
        "The app is asked, of a real device only while the gateway has a session with it: nothing is joined to be read. Otherwise, and of an app that "
        + "cannot list its queue, those items are shown that its status names, and `complete` is false. A session follows the queue of its app: the ids, and the "
        + "200 items that were read last, are known then, and are not asked for again before the app tells of a change."
    static let result = OperationResult(
        "The page",
        [
            .init("device", .text, "The device"),
            .init("total", .integer, "How many items there are"),
            .init("offset", .integer, "How many are left out at the beginning"),
            .init("complete", .boolean, "Whether `total` counts all items, and not only those that the status names"),
            .optional("item_id", .integer, "The item that plays"),
            .optional(
                "repeat_mode", .text, "What follows the end of an item: `off`, `all`, `single` or `all_and_shuffle`"),
            .optional("shuffled", .boolean, "Whether the queue is shuffled"),
            .init(
                "items",
                .list(
                    .object([
                        .init("id", .integer, "Its id"),
                        .optional("title", .text, "Its title"),
                        .optional("content_id", .text, "What it plays, as the app calls it"),
                        .optional("duration", .number, "Its length, in seconds"),
                        .optional(
                            "item", .map(.anything), "The whole item, as the app tells it; missing when it does not"),
                    ])), "In their order"),
        ])
    static let problems = DeviceProblem.media

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.device(input.device, for: caller)
        if input.reloads { await device.forgetQueue() }
        return try await Self.page(of: device, offset: input.offset, limit: input.limit, anew: input.reloads)
    }

    /// A page of a device's queue.
    /// - Parameter anew: whether items of the last status are asked for, too; they count when the app does not answer.
    static func page(
        of device: any ControlledDevice, offset: Int, limit: Int, anew: Bool = false
    ) async throws(OperationProblem) -> JSONObject {
        let end = device.now + Self.patience
        var known: [Int: QueueItem] = [:]
        let ids: [Int]?
        let media: MediaSnapshot
        if let queue = await device.knownQueue(offset: offset, limit: limit), await device.isJoined {
            (ids, known) = (queue.ids, queue.items)
            media = await device.media()
        } else {
            (ids, media) = try await Self.itemIDs(on: device)
        }
        let isComplete = ids != nil
        let told = media.nearItems.reduce(into: [Int: QueueItem]()) { told, item in
            if let id = item.itemID { told[id] = item }
        }
        if !anew { known.merge(told) { _, new in new } }
        let all = ids ?? media.nearItems.compactMap(\.itemID)
        let page = Array(all.dropFirst(offset).prefix(limit))
        if isComplete { try await Self.fetch(page, into: &known, from: device, until: end) }
        known.merge(told) { fetched, _ in fetched }
        var json: JSONObject = [
            "device": .string(device.name), "total": .number(all.count), "offset": .number(offset),
            "complete": .bool(isComplete), "items": .array(page.map { .object(Self.json($0, known[$0])) }),
        ]
        json["item_id"] = media.currentItemID.map { .number($0) }
        json["repeat_mode"] = media.repeatMode.map { .string($0.word) }
        json["shuffled"] = media.status?.queueData?.isShuffled.map { .bool($0) }
        return json
    }

    /// The ids of all items; nil when the app does not tell them, or would have to be joined for it.
    private static func itemIDs(
        on device: any ControlledDevice
    ) async throws(OperationProblem) -> (ids: [Int]?, media: MediaSnapshot) {
        guard await device.isJoined else { return (nil, await device.media()) }
        do throws(OperationProblem) {
            let (reply, media) = try await device.perform(.fetchItemIDs())
            return (MediaRequest(json: reply).itemIDs, media)
        } catch  where ["invalid_request", "unsupported_feature", "timeout"].contains(error.code) {
            return (nil, await device.media())
        }
    }

    /// Asks for the items that are not known, as long as some come, and the time is not over.
    private static func fetch(
        _ page: [Int], into known: inout [Int: QueueItem], from device: any ControlledDevice, until end: NIODeadline
    ) async throws(OperationProblem) {
        var missing = page.filter { known[$0] == nil }
        while !missing.isEmpty, device.now < end {
            let reply: JSONObject
            do throws(OperationProblem) {
                reply = try await device.perform(.fetchItems(Array(missing.prefix(Self.fetchSize)))).reply
            } catch  where error.code == "timeout" {
                return
            }
            for item in MediaRequest(json: reply).items ?? [] { if let id = item.itemID { known[id] = item } }
            let left = missing.filter { known[$0] == nil }
            guard left.count < missing.count else { return }
            missing = left
        }
    }

    private static func json(_ id: Int, _ item: QueueItem?) -> JSONObject {
        var json: JSONObject = ["id": .number(id)]
        guard let item else { return json }
        json["title"] = item.media?.metadata?.json.string("title").map { .string($0) }
        json["content_id"] = item.media?.contentID.map { .string($0) }
        json["duration"] = item.media?.duration.flatMap { $0.isFinite ? .number($0) : nil }
        json["item"] = .object(item.json)
        return json
    }
}
