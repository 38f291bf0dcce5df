import CastClient
import CastWire
import FeatureContract
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
    static let result = QueuePageResult.result("The page")
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
        let items = page.map { QueueItemResult.Source($0, known[$0]) }
        return QueuePageResult.json((device, media, all.count, offset, isComplete, items))
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
}

/// A page of the queue of a device.
struct QueuePageResult: ResultRecord {
    typealias Source = (
        device: any ControlledDevice, media: MediaSnapshot, total: Int, offset: Int, isComplete: Bool,
        items: [QueueItemResult.Source]
    )

    let device = Field("device", "The device") { $0.device.name }
    let total = Field("total", "How many items there are") { $0.total }
    let offset = Field("offset", "How many are left out at the beginning") { $0.offset }
    let isComplete = Field(
        "complete", "Whether `total` counts all items, and not only those that the status names"
    ) { $0.isComplete }
    let itemID = Field.optional("item_id", "The item that plays") { $0.media.currentItemID }
    let repeatMode = Field.optional(
        "repeat_mode", "What follows the end of an item: `off`, `all`, `single` or `all_and_shuffle`"
    ) { $0.media.repeatMode?.word }
    let isShuffled = Field.optional("shuffled", "Whether the queue is shuffled") {
        $0.media.status?.queueData?.isShuffled
    }
    let items = Field("items", listOf: QueueItemResult.self, "In their order") { $0.items }

    static let layout = ResultLayout(QueuePageResult())
}

/// An item of a queue; of one that the app does not tell, its id.
struct QueueItemResult: ResultRecord {
    typealias Source = (id: Int, item: QueueItem?)

    let id = Field("id", "Its id") { $0.id }
    let title = Field.optional("title", "Its title") { $0.item?.media?.metadata?.json.string("title") }
    let contentID = Field.optional("content_id", "What it plays, as the app calls it") { $0.item?.media?.contentID }
    let duration = Field.optional("duration", "Its length, in seconds") { $0.item?.media?.duration }
    let item = Field.optional("item", "The whole item, as the app tells it; missing when it does not") {
        $0.item?.json
    }

    static let layout = ResultLayout(QueueItemResult())
}
