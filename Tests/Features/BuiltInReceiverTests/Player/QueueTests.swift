import CastWire
import GatewayConfig
import NIOCore
import Testing

@testable import BuiltInReceiver

@Suite struct QueueTests {
    private func queue(_ count: Int, _ fields: JSONObject = [:], item: JSONObject = [:], seed: UInt64 = 0)
        -> PlayerBench
    {
        var bench = PlayerBench(seed: seed)
        bench.playQueue(count, fields, item: item)
        return bench
    }

    private func ids(_ bench: inout PlayerBench) -> [Int] {
        bench.command("QUEUE_GET_ITEM_IDS")?.array("itemIds")?.compactMap(\.intValue) ?? []
    }

    @Test func theNextItemFollowsInTheSameSession() throws {
        var bench = self.queue(2)
        #expect(bench.statuses.last?.supportedMediaCommands.contains(.queueNext) == true)
        #expect(bench.statuses.last?.supportedMediaCommands.contains(.queuePrevious) == false)
        bench.pass(79.9)
        #expect(bench.actions.isEmpty)
        bench.pass(0.1)
        #expect(bench.statuses.map(\.preloadedItemID) == [2])
        bench.pass(20)
        // What is preloaded plays without loading.
        #expect(bench.states == ["BUFFERING"])
        let status = try #require(bench.statuses.last)
        #expect(status.currentItemID == 2 && status.mediaSessionID == 1 && status.preloadedItemID == nil)
        bench.pass(0.1)
        #expect(bench.states == ["PLAYING"])
        #expect(bench.statuses.last?.supportedMediaCommands.rawValue == 274447 + 128)
        bench.pass(100)
        #expect(bench.states == ["IDLE/FINISHED"])
        #expect(bench.statuses.last?.loadingItemID == nil)
    }

    @Test func withoutPreloadItIsIdleBetween() {
        var bench = self.queue(2, item: ["preloadTime": 0])
        bench.pass(100)
        #expect(bench.states == ["IDLE/FINISHED/LOADING"])
        #expect(bench.statuses.last?.loadingItemID == 2 && bench.statuses.last?.currentItemID == 2)
        bench.pass(0.3)
        #expect(bench.states == ["BUFFERING", "PLAYING"])
    }

    @Test func repeatAllStartsAgain() {
        var bench = self.queue(2, ["repeatMode": "REPEAT_ALL", "startIndex": 1])
        #expect(bench.statuses.last?.supportedMediaCommands.contains([.queueNext, .queuePrevious]) == true)
        bench.pass(101)
        #expect(bench.statuses.last?.currentItemID == 1 && bench.statuses.last?.playerState == .playing)
    }

    @Test func repeatSingleRepeatsTheItem() {
        var bench = self.queue(2, ["repeatMode": "REPEAT_SINGLE"])
        bench.pass(101)
        #expect(bench.statuses.last?.currentItemID == 1 && bench.statuses.last?.playerState == .playing)
        #expect(bench.command("QUEUE_NEXT")?.status?.currentItemID == 2)
        #expect(bench.command("QUEUE_NEXT")?.reason == "END_OF_QUEUE")
    }

    @Test func repeatAllAndShuffleMixesAtTheEnd() {
        var bench = self.queue(8, ["repeatMode": "REPEAT_ALL_AND_SHUFFLE", "startIndex": 7], seed: 3)
        bench.pass(101)
        let mixed = self.ids(&bench)
        #expect(mixed.sorted() == Array(1...8) && mixed != Array(1...8))
        #expect(bench.status()?.currentItemID == mixed.first)
        var same = self.queue(8, ["repeatMode": "REPEAT_ALL_AND_SHUFFLE", "startIndex": 7], seed: 3)
        same.pass(101)
        #expect(same.broadcasts.contains { $0.type == "QUEUE_CHANGE" })
        #expect(self.ids(&same) == mixed)
    }

    @Test func anItemWithoutAutoplayPausesTheQueue() {
        var bench = PlayerBench()
        bench.send(
            "QUEUE_LOAD",
            [
                "items": [
                    .object(PlayerBench.item("a")),
                    .object(PlayerBench.item("b", ["autoplay": false, "startTime": 7])),
                ]
            ])
        bench.pass(200)
        #expect(bench.statuses.last?.playerState == .paused)
        #expect(bench.statuses.last?.currentItemID == 2 && bench.statuses.last?.currentTime == 7)
    }

    @Test func playbackDurationEndsAnItem() {
        var bench = self.queue(2, item: ["startTime": 10, "playbackDuration": 30])
        bench.pass(29.9)
        #expect(bench.status()?.currentItemID == 1)
        bench.pass(0.1)
        #expect(bench.status()?.currentItemID == 2)
        var negative = self.queue(2, item: ["playbackDuration": -30])
        negative.pass(69.9)
        #expect(negative.status()?.currentItemID == 1)
        negative.pass(0.1)
        #expect(negative.status()?.currentItemID == 2)
    }

    @Test func jumpsFollowTheQueue() {
        var bench = self.queue(3)
        let reply = bench.command("QUEUE_UPDATE", ["jump": 1])
        #expect(reply?.status?.label == "IDLE/INTERRUPTED/LOADING")
        #expect(reply?.status?.loadingItemID == 2)
        #expect(reply?.status?.supportedMediaCommands.rawValue == 12303)
        bench.pass(0.3)
        #expect(bench.statuses.last?.items?.map(\.itemID) == [1, 2, 3])
        #expect(bench.command("QUEUE_UPDATE", ["jump": -1])?.status?.currentItemID == 1)
        #expect(bench.command("QUEUE_UPDATE", ["jump": -1])?.reason == "END_OF_QUEUE")
        #expect(bench.command("QUEUE_PREV")?.reason == "END_OF_QUEUE")
        #expect(bench.command("QUEUE_UPDATE", ["currentItemId": 3, "currentTime": 9])?.status?.currentItemID == 3)
        bench.pass(0.3)
        #expect(bench.statuses.last?.currentTime == 9)
        #expect(bench.command("QUEUE_UPDATE", ["jump": .number(Int.max)])?.reason == "END_OF_QUEUE")
        #expect(bench.command("QUEUE_UPDATE", ["repeatMode": "REPEAT_ALL"])?.status?.repeatMode == .all)
        #expect(bench.command("QUEUE_UPDATE", ["jump": .number(Int.min)])?.status?.playerState == .idle)
        #expect(bench.command("QUEUE_UPDATE", ["jump": .number(Int.max)])?.status?.playerState == .idle)
        for fields: JSONObject in [
            ["repeatMode": "X"], ["currentItemId": 99], ["jump": "x"], ["jump": 1e300], ["items": 5],
        ] {
            #expect(bench.command("QUEUE_UPDATE", fields)?.reason == "INVALID_PARAMS")
        }
    }

    @Test func insertAppendsOrGoesBefore() {
        var bench = self.queue(2)
        let new: JSONValue = [.object(PlayerBench.item("x")), .object(PlayerBench.item("y"))]
        bench.command("QUEUE_INSERT", ["items": new])
        #expect(bench.actions.count == 3)
        let change = bench.broadcasts.last
        #expect(change?.type == "QUEUE_CHANGE" && change?.string("changeType") == "INSERT")
        #expect(change?["itemIds"] == [3, 4] && change?["requestId"] == 0)
        bench.command("QUEUE_INSERT", ["items": new, "insertBefore": 1])
        #expect(bench.broadcasts.last?["insertBefore"] == 1)
        #expect(self.ids(&bench) == [5, 6, 1, 2, 3, 4])
        #expect(bench.status()?.currentItemID == 1)
        bench.command("QUEUE_INSERT", ["items": new, "insertBefore": 0])
        #expect(self.ids(&bench) == [5, 6, 1, 2, 3, 4, 7, 8])
        let playing = bench.command(
            "QUEUE_INSERT", ["items": new, "insertBefore": 2, "currentItemIndex": 1, "currentTime": 4])
        #expect(playing?.status?.currentItemID == 10)
        bench.pass(0.3)
        #expect(bench.statuses.last?.currentTime == 4)
    }

    @Test(
        arguments: [
            [:], ["items": []], ["items": 5], ["items": [["media": ["contentId": "a"], "itemId": 4]]], ["items": [[:]]],
            ["items": [["media": ["contentId": "a"]], 7]],
            ["items": [["media": ["contentId": "a"]]], "currentItemIndex": 1],
            ["items": [["media": ["contentId": "a"]]], "currentItemIndex": -1],
            ["items": [["media": ["contentId": "a"]]], "currentItemId": 77],
        ] as [JSONObject])
    func wrongInsertionsAreRefused(_ fields: JSONObject) {
        var bench = self.queue(2)
        #expect(bench.command("QUEUE_INSERT", fields)?.reason == "INVALID_PARAMS")
        #expect(bench.broadcasts.isEmpty)
        #expect(self.ids(&bench) == [1, 2])
    }

    @Test func theQueueIsBounded() {
        var bench = self.queue(999)
        let item: JSONValue = .object(PlayerBench.item("x"))
        #expect(bench.command("QUEUE_INSERT", ["items": [item, item]])?.reason == "INVALID_PARAMS")
        #expect(bench.command("QUEUE_INSERT", ["items": [item]])?.status != nil)
        #expect(self.ids(&bench).count == 1000)
        let long = JSONValue.string(String(repeating: "x", count: 60_000))
        var heavy = self.queue(1)
        let refused = (0..<20).filter { _ in
            heavy.command("QUEUE_INSERT", ["items": [["media": ["contentId": "a"], "customData": long]]])?.reason
                == "INVALID_PARAMS"
        }
        #expect(refused.count == 3)
    }

    @Test func removalMovesOn() {
        var bench = self.queue(4)
        bench.command("QUEUE_REMOVE", ["itemIds": [3, 77]])
        #expect(bench.broadcasts.last?["itemIds"] == [3] && bench.states == ["PLAYING"])
        #expect(bench.command("QUEUE_REMOVE", ["itemIds": [1]])?.status?.currentItemID == 2)
        #expect(bench.command("QUEUE_REMOVE", ["itemIds": [2], "currentItemId": 4])?.status?.currentItemID == 4)
        #expect(bench.command("QUEUE_REMOVE", ["itemIds": [4]])?.status?.label == "IDLE/CANCELLED")
        #expect(!bench.player.isActive)

        var last = self.queue(2, ["startIndex": 1])
        #expect(last.command("QUEUE_REMOVE", ["itemIds": [2]])?.status?.label == "IDLE/FINISHED")
        var wrapping = self.queue(2, ["startIndex": 1, "repeatMode": "REPEAT_ALL"])
        #expect(wrapping.command("QUEUE_REMOVE", ["itemIds": [2]])?.status?.currentItemID == 1)
        for ids: JSONValue in [[], [9], "x", .null] {
            #expect(wrapping.command("QUEUE_REMOVE", ["itemIds": ids])?.reason == "INVALID_PARAMS")
        }
    }

    @Test func reorderMovesItems() {
        var bench = self.queue(6)
        bench.command("QUEUE_REORDER", ["itemIds": [4, 2, 4], "insertBefore": 6])
        #expect(self.ids(&bench) == [1, 3, 5, 4, 2, 6])
        bench.command("QUEUE_REORDER", ["itemIds": [1]])
        #expect(bench.broadcasts.last?.string("changeType") == "UPDATE")
        #expect(self.ids(&bench) == [3, 5, 4, 2, 6, 1])
        #expect(bench.status()?.currentItemID == 1 && bench.status()?.items?.map(\.itemID) == [6, 1])
        #expect(bench.command("QUEUE_REORDER", ["itemIds": [3], "insertBefore": 3])?.reason == "INVALID_PARAMS")
        #expect(bench.command("QUEUE_REORDER", ["itemIds": [33]])?.reason == "INVALID_PARAMS")
        #expect(bench.command("QUEUE_REORDER", ["itemIds": [3], "currentItemId": 5])?.status?.currentItemID == 5)
    }

    @Test func shuffleKeepsWhatPlaysAndCanBeTakenBack() {
        var bench = self.queue(8, ["startIndex": 3], seed: 5)
        #expect(bench.command("QUEUE_SHUFFLE")?.status?.currentItemID == 4)
        let mixed = self.ids(&bench)
        #expect(mixed.first == 4 && mixed.sorted() == Array(1...8) && mixed != [4, 1, 2, 3, 5, 6, 7, 8])
        bench.command("QUEUE_UPDATE", ["shuffle": false])
        #expect(self.ids(&bench) == Array(1...8))
        #expect(bench.status()?.currentItemID == 4)
        let reply = bench.command("QUEUE_UPDATE", ["shuffle": true])
        let order = self.ids(&bench)
        #expect(reply?.status?.currentItemID == order[3])
    }

    @Test func itemsCanBeChanged() {
        var bench = self.queue(3)
        let changes: JSONValue = [
            ["itemId": 1, "media": PlayerBench.media("i1", ["duration": 50, "metadata": ["title": "New"]])],
            ["itemId": 3, "customData": 9],
        ]
        let reply = bench.command("QUEUE_UPDATE", ["items": changes])
        #expect(reply?.status?.media?.metadata?.title == "New" && reply?.status?.playerState == .playing)
        #expect(bench.broadcasts.last?.string("changeType") == "ITEMS_CHANGE")
        #expect(bench.texts == ["New"])
        let items = bench.command("QUEUE_GET_ITEMS", ["itemIds": [3]])?.array("items")
        #expect(items?.first?.objectValue?["customData"] == 9)
        #expect(items?.first?.objectValue?.object("media")?.string("contentId") == "i3")
        #expect(bench.command("QUEUE_UPDATE", ["items": [["itemId": 9]]])?.reason == "INVALID_PARAMS")
        #expect(bench.command("QUEUE_UPDATE", ["items": [["itemId": 1, "media": [:]]]])?.reason == "INVALID_PARAMS")
    }

    @Test func itemsAreToldById() {
        var bench = self.queue(5)
        let reply = bench.command("QUEUE_GET_ITEMS", ["itemIds": [4, 2, 4, 88]])
        #expect(reply?.type == "QUEUE_ITEMS")
        #expect(reply?.array("items")?.map { $0.objectValue?.int("itemId") } == [4, 2])
        #expect(bench.broadcasts.isEmpty)
        #expect(bench.command("QUEUE_GET_ITEMS", ["itemIds": [88]])?.reason == "INVALID_PARAMS")
        func range(_ fields: JSONObject) -> [Int?]? {
            bench.command("QUEUE_GET_ITEM_RANGE", fields)?.array("items")?.map { $0.objectValue?.int("itemId") }
        }
        #expect(range(["itemId": 3, "nextCount": 1]) == [4])
        #expect(range(["itemId": 3, "prevCount": 9]) == [1, 2])
        #expect(range(["itemId": 3, "prevCount": 1, "nextCount": .number(Int.max)]) == [2, 4, 5])
        #expect(range(["itemId": 3]) == nil && range(["itemId": 3, "nextCount": -1]) == nil)
        #expect(range(["itemId": 33, "nextCount": 1]) == nil && range(["nextCount": 1]) == nil)
        var long = self.queue(30, item: ["customData": .string(String(repeating: "x", count: 5000))])
        let fitting = long.command("QUEUE_GET_ITEMS", ["itemIds": .array((1...30).map { .number($0) })])
        #expect(fitting?.array("items")?.count == 11)
    }

    @Test func theSequenceNumberGrows() {
        var bench = self.queue(2)
        let before = bench.command("QUEUE_GET_ITEM_IDS")?.int("sequenceNumber") ?? 0
        bench.command("QUEUE_REMOVE", ["itemIds": [2]])
        #expect(bench.broadcasts.last?.int("sequenceNumber") == before + 1)
    }

    @Test func preloadPreparesAnItem() {
        var bench = self.queue(3)
        #expect(bench.send("PRELOAD", ["itemId": 3])?.status?.preloadedItemID == 3)
        #expect(bench.command("QUEUE_UPDATE", ["currentItemId": 3])?.status?.playerState == .buffering)
        #expect(bench.send("PRELOAD", ["itemId": 9])?.reason == "INVALID_PARAMS")
        #expect(bench.send("PRELOAD", ["itemId": 1, "mediaSessionId": 5])?.reason == "INVALID_MEDIA_SESSION_ID")
    }

    @Test func tracksBelongToTheirItem() {
        let tracks: JSONObject = ["duration": 10, "tracks": [["trackId": 1, "type": "TEXT"]]]
        var bench = PlayerBench()
        bench.send(
            "QUEUE_LOAD",
            [
                "items": [
                    .object(PlayerBench.item("a", ["activeTrackIds": [1, 2]], media: tracks)),
                    .object(PlayerBench.item("b", media: tracks)),
                ]
            ])
        bench.pass(0.3)
        #expect(bench.statuses.last?.activeTrackIDs == [1])
        bench.pass(10.1)
        #expect(bench.statuses.last?.currentItemID == 2 && bench.statuses.last?.activeTrackIDs == [])
    }

    @Test func emptyItemsCannotSpin() {
        var bench = PlayerBench(
            SimulationOptions {
                $0.loadDelay = .zero
                $0.buffering = .zero
            })
        bench.send(
            "QUEUE_LOAD",
            [
                "items": [
                    .object(PlayerBench.item("a", media: ["duration": 1e-12])),
                    .object(PlayerBench.item("b", media: ["duration": 1e-12])),
                ],
                "repeatMode": "REPEAT_ALL",
            ])
        bench.pass(0.05)
        #expect(bench.actions.count < 40)
        #expect(bench.player.nextDeadline.map { $0 > bench.now } == true)
    }
}
