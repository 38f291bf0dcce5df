import CastWire
import Testing

@testable import CastClient

@Suite struct MediaQueueTests {
    private static func item(_ id: Int, _ content: String = "x") -> JSONValue {
        ["itemId": .number(id), "media": ["contentId": .string("\(content)\(id)")]]
    }

    private static func following(_ ids: JSONValue = [1, 2, 3], sequence: Int = 5) -> MediaBench {
        var bench = MediaBench.playing()
        bench.followQueue()
        bench.answer(["type": "QUEUE_ITEM_IDS", "itemIds": ids, "sequenceNumber": .number(sequence)])
        return bench
    }

    private static func change(
        _ type: String, _ ids: JSONValue, sequence: Int? = nil, before: Int? = nil
    ) -> JSONObject {
        var change: JSONObject = [
            "type": "QUEUE_CHANGE", "requestId": 0, "changeType": .string(type), "itemIds": ids,
        ]
        if let sequence { change["sequenceNumber"] = .number(sequence) }
        if let before { change["insertBefore"] = .number(before) }
        return change
    }

    @Test func followingAsksForTheIDs() {
        var bench = MediaBench.playing()
        #expect(bench.state.queue.count == nil)
        bench.followQueue()
        #expect(bench.sentTypes == ["QUEUE_GET_ITEM_IDS"])
        bench.answer(["type": "QUEUE_ITEM_IDS", "itemIds": [4, 5, 4], "sequenceNumber": 1])
        #expect(bench.queueChanges == [.reloaded])
        #expect(bench.state.queue.itemIDs == [4, 5])
        #expect(bench.state.queue.index(of: 5) == 1)
    }

    @Test(
        arguments: [
            (Self.change("INSERT", [7, 8], sequence: 6, before: 2), [1, 7, 8, 2, 3], [.inserted(1..<3)]),
            (Self.change("INSERT", [7], sequence: 6), [1, 2, 3, 7], [.inserted(3..<4)]),
            (Self.change("REMOVE", [1, 3], sequence: 6), [2], [.removed([0, 2])]),
            (Self.change("REMOVE", [1, 2, 3], sequence: 6), [], [.reloaded]),
            (Self.change("ITEMS_CHANGE", [3, 2], sequence: 6), [1, 2, 3], [.updated([1, 2])]),
            (Self.change("NO_CHANGE", [3], sequence: 6), [1, 2, 3], []),
        ] as [(JSONObject, [Int], [MediaQueueChange])])
    func changesAreToldByPlace(_ change: JSONObject, _ ids: [Int], _ told: [MediaQueueChange]) {
        var bench = Self.following()
        bench.receive(change)
        #expect(bench.state.queue.itemIDs == ids)
        #expect(bench.queueChanges == told)
        #expect(bench.sent.isEmpty)
    }

    @Test(
        arguments: [
            ([3, 1, 2], [.reordered]), ([1, 2, 3], []), ([9, 8], [.reloaded]),
            ([0, 1, 2, 3, 4, 5], [.inserted(0..<1), .inserted(4..<6)]),
            ([2, 9], [.removed([0, 2]), .inserted(1..<2)]),
        ] as [(JSONValue, [MediaQueueChange])])
    func anotherListOfIDsIsToldAsDifference(_ ids: JSONValue, _ told: [MediaQueueChange]) {
        var bench = Self.following()
        bench.receive(Self.change("UPDATE", ids, sequence: 6))
        #expect(bench.sentTypes == ["QUEUE_GET_ITEM_IDS"])
        bench.answer(["type": "QUEUE_ITEM_IDS", "itemIds": ids, "sequenceNumber": 6])
        #expect(bench.queueChanges == told)
    }

    @Test func whatIsKnownAlreadyIsNoNews() {
        var bench = Self.following()
        bench.receive(Self.change("REMOVE", [1], sequence: 5))
        #expect(bench.actions.isEmpty)
        bench.receive(["type": "QUEUE_ITEM_IDS", "requestId": 0, "itemIds": [9], "sequenceNumber": 4])
        #expect(bench.state.queue.itemIDs == [1, 2, 3])
    }

    @Test func aGapInTheNumbersReloads() {
        var bench = Self.following()
        bench.receive(Self.change("REMOVE", [1], sequence: 8))
        #expect(bench.sentTypes == ["QUEUE_GET_ITEM_IDS"])
        // A second change meanwhile is asked about when the first answer is there.
        bench.receive(Self.change("UPDATE", [], sequence: 9))
        #expect(bench.sent.isEmpty)
        bench.answer(["type": "QUEUE_ITEM_IDS", "itemIds": [2, 3], "sequenceNumber": 8])
        #expect(bench.sentTypes == ["QUEUE_GET_ITEM_IDS"])
        bench.answer(["type": "QUEUE_ITEM_IDS", "itemIds": [3], "sequenceNumber": 9])
        #expect(bench.state.queue.itemIDs == [3])
        #expect(bench.sent.isEmpty)
    }

    @Test func wishesBecomeOneRequest() {
        var bench = Self.following([1, 2, 3, 4])
        bench.wantQueueItems([0, 2])
        bench.wantQueueItems([2, 3, 17])
        #expect(bench.sent.isEmpty)
        bench.pass(0.05)
        #expect(bench.lastSent?["itemIds"] == [1, 3, 4])
        bench.answer(["type": "QUEUE_ITEMS", "items": [Self.item(1), Self.item(3)], "sequenceNumber": 5])
        #expect(bench.queueChanges == [.updated([0, 2])])
        #expect(bench.state.queue.item(at: 2)?.media?.contentID == "x3")
        // What did not fit is asked for again.
        bench.pass(0.05)
        #expect(bench.lastSent?["itemIds"] == [4])
        bench.answer(["type": "QUEUE_ITEMS", "items": []])
        bench.pass(1)
        #expect(bench.sent.isEmpty)
        bench.wantQueueItems([0])
        #expect(bench.state.nextDeadline == nil)
    }

    @Test func aFetchHasALimitAndTheNewestWishComesFirst() {
        var bench = MediaBench.playing(options: MediaClientOptions(queueFetchSize: 2))
        bench.followQueue()
        bench.answer(["type": "QUEUE_ITEM_IDS", "itemIds": [1, 2, 3, 4, 5]])
        bench.wantQueueItems([0, 1, 4, 3])
        bench.pass(0.05)
        #expect(bench.lastSent?["itemIds"] == [4, 5])
        bench.answer(["type": "QUEUE_ITEMS", "items": [Self.item(4), Self.item(5)]])
        bench.pass(0.05)
        #expect(bench.lastSent?["itemIds"] == [1, 2])
    }

    @Test func changedItemsThatWereKnownAreFetchedAgain() {
        var bench = Self.following()
        bench.receive(["type": "QUEUE_ITEMS", "requestId": 0, "items": [Self.item(2)]])
        bench.receive(Self.change("ITEMS_CHANGE", [1, 2], sequence: 6))
        #expect(bench.state.queue.item(id: 2) == nil)
        bench.pass(0.05)
        #expect(bench.lastSent?["itemIds"] == [2])
    }

    @Test func theStatusBringsItemsToo() {
        var bench = Self.following()
        bench.push(MediaBench.status(["items": [Self.item(1), Self.item(2)]]))
        #expect(bench.queueChanges == [.updated([0, 1])])
        bench.push(MediaBench.status(["items": [Self.item(1), Self.item(2)]]))
        #expect(bench.queueChanges.isEmpty)
    }

    @Test func anotherMediaSessionHasAnotherQueue() {
        var bench = Self.following()
        bench.push(MediaBench.status(["mediaSessionId": 2]))
        #expect(bench.queueChanges == [.reloaded])
        #expect(bench.state.queue.itemIDs == nil)
        #expect(bench.lastSent?.int("mediaSessionId") == 2)
        bench.push(nil)
        #expect(bench.sent.isEmpty)
    }

    @Test func theItemsUsedLastAreKept() {
        var queue = MediaQueue(cacheSize: 2)
        _ = queue.received(ids: [1, 2, 3], sequenceNumber: nil)
        let items = [1, 2].map { QueueItem(json: ["itemId": .number($0)]) }
        _ = queue.received(items: items)
        let isFetching = queue.want([0])
        #expect(!isFetching)
        _ = queue.received(items: [QueueItem(json: ["itemId": 3])])
        #expect(queue.item(id: 1) != nil && queue.item(id: 2) == nil && queue.item(id: 3) != nil)
    }

    @Test func whoDoesNotFollowHearsOfChangesAlone() {
        var bench = MediaBench.playing()
        bench.receive(Self.change("INSERT", [7], sequence: 6))
        #expect(bench.queueChanges == [.outdated])
        #expect(bench.sent.isEmpty)
    }
}
