import CastWire
import Testing

@testable import CastClient

/// Queues that are followed by themselves, wherever an app shows that there is one.
@Suite struct FollowedQueueTests {
    private static let options = MediaClientOptions(followsQueues: true)
    /// A status of a queue, of which it names two items.
    private static let queue: JSONObject = [
        "items": [["itemId": 1, "media": ["contentId": "a"]], ["itemId": 2, "media": ["contentId": "b"]]],
        "queueData": ["repeatMode": "REPEAT_OFF"],
    ]

    /// A client that has been told the ids 1, 2 and 3.
    private static func following() -> MediaBench {
        var bench = MediaBench.playing(Self.queue, options: Self.options)
        bench.answer(["type": "QUEUE_ITEM_IDS", "itemIds": [1, 2, 3], "sequenceNumber": 5])
        return bench
    }

    @Test func oneMediumIsNoQueue() {
        var bench = MediaBench.playing(options: Self.options)
        #expect(bench.sent.isEmpty)
        bench.push(MediaBench.status(["items": [["itemId": 1]]]))
        #expect(bench.sent.isEmpty)
    }

    @Test func aQueueThatAppearsIsAskedFor() {
        var bench = MediaBench.playing(options: Self.options)
        bench.push(MediaBench.status(Self.queue))
        #expect(bench.sentTypes == ["QUEUE_GET_ITEM_IDS"])
        bench.answer(["type": "QUEUE_ITEM_IDS", "itemIds": [1, 2, 3], "sequenceNumber": 5])
        #expect(bench.state.queue.itemIDs == [1, 2, 3] && bench.state.queue.isCurrent)
        bench.push(MediaBench.status(Self.queue))
        #expect(bench.sent.isEmpty)
    }

    @Test func aChangeOfAQueueThatWasNotSeenIsAskedAbout() {
        var bench = MediaBench.playing(options: Self.options)
        bench.receive(["type": "QUEUE_CHANGE", "requestId": 0, "changeType": "INSERT", "itemIds": [7]])
        #expect(bench.sentTypes == ["QUEUE_GET_ITEM_IDS"])
    }

    @Test(arguments: [["type": "INVALID_REQUEST", "reason": "INVALID_COMMAND"], nil] as [JSONObject?])
    func anAppThatDoesNotTellIsAskedOnce(refusal: JSONObject?) {
        var bench = MediaBench.playing(options: Self.options)
        bench.push(MediaBench.status(Self.queue))
        #expect(bench.sentTypes == ["QUEUE_GET_ITEM_IDS"])
        if let refusal { bench.answer(refusal) } else { bench.pass(11) }
        bench.push(MediaBench.status(Self.queue))
        #expect(bench.sent.isEmpty)
        bench.receive(["type": "QUEUE_CHANGE", "requestId": 0, "changeType": "UPDATE", "itemIds": []])
        #expect(bench.sent.isEmpty && bench.queueChanges == [.outdated])
        bench.push(MediaBench.status(["mediaSessionId": 2, "items": Self.queue["items"] ?? .null]))
        #expect(bench.sent.isEmpty && bench.state.requestCount == 0)
        // Another app may tell.
        bench.attach(MediaBench.app(session: "s-2", transport: "t-2"))
        bench.answer(["type": "MEDIA_STATUS", "status": [.object(MediaBench.status(Self.queue))]])
        #expect(bench.sentTypes == ["QUEUE_GET_ITEM_IDS"])
    }

    @Test func anotherMediaSessionMeanwhileIsNoRefusal() {
        var bench = MediaBench.playing(Self.queue, options: Self.options)
        for _ in 0..<3 {
            #expect(bench.lastSent?.string("type") == "QUEUE_GET_ITEM_IDS")
            bench.answer(["type": "INVALID_REQUEST", "reason": "INVALID_MEDIA_SESSION_ID"])
            bench.push(MediaBench.status(Self.queue))
        }
        // Unless it goes on so.
        #expect(bench.sent.isEmpty)
    }

    @Test func itemsAreFetchedWhenTheyAreWantedAlone() {
        var bench = Self.following()
        bench.receive([
            "type": "QUEUE_CHANGE", "requestId": 0, "changeType": "ITEMS_CHANGE", "itemIds": [1], "sequenceNumber": 6,
        ])
        #expect(bench.queueChanges == [.updated([0])])
        #expect(bench.state.queue.item(id: 1) == nil && bench.state.queue.item(id: 2) != nil)
        bench.pass(1)
        #expect(bench.sent.isEmpty && bench.state.nextDeadline == nil)
    }

    @Test func ownCommandsMakeTheIDsDoubtful() {
        var bench = Self.following()
        bench.perform(.remove([3]))
        bench.answer(["type": "MEDIA_STATUS", "status": [.object(MediaBench.status(Self.queue))]])
        // The change is told after the answer.
        #expect(!bench.state.queue.isCurrent)
        bench.push(MediaBench.status(Self.queue))
        #expect(bench.sentTypes == ["QUEUE_GET_ITEM_IDS"])
        bench.answer(["type": "QUEUE_ITEM_IDS", "itemIds": [1, 2], "sequenceNumber": 6])
        #expect(bench.queueChanges == [.removed([2])] && bench.state.queue.isCurrent)
    }

    @Test func aGapInTheConnectionMakesTheIDsDoubtful() {
        var bench = Self.following()
        bench.suspend()
        #expect(bench.state.queue.itemIDs == [1, 2, 3] && !bench.state.queue.isCurrent)
        bench.attach()
        bench.answer(["type": "MEDIA_STATUS", "status": [.object(MediaBench.status(Self.queue))]])
        #expect(bench.sentTypes == ["QUEUE_GET_ITEM_IDS"])
    }

    @Test func anItemThatTheIDsDoNotHaveIsAskedAboutOnce() {
        var bench = Self.following()
        let strange = MediaBench.status(["items": [["itemId": 9], ["itemId": 1]]])
        bench.push(strange)
        #expect(bench.sentTypes == ["QUEUE_GET_ITEM_IDS"])
        bench.answer(["type": "QUEUE_ITEM_IDS", "itemIds": [1, 2, 3], "sequenceNumber": 5])
        bench.push(strange)
        #expect(bench.sent.isEmpty)
    }

    @Test func aQueueThatIsTooLongIsNotKept() {
        var bench = MediaBench.playing(Self.queue, options: Self.options)
        let ids = (0...MediaQueue.maximumItems).map { JSONValue.number($0) }
        bench.answer(["type": "QUEUE_ITEM_IDS", "itemIds": .array(ids)])
        #expect(bench.state.queue.itemIDs == nil)
        bench.push(MediaBench.status(Self.queue))
        #expect(bench.sent.isEmpty)
    }

    @Test func whatIsForgottenIsNotReliedOn() {
        var bench = Self.following()
        #expect(bench.state.queue.item(id: 1) != nil)
        bench.forgetQueueItems()
        #expect(bench.state.queue.item(id: 1) == nil && !bench.state.queue.isCurrent)
        #expect(bench.state.queue.itemIDs == [1, 2, 3])
    }
}
