import CastWire
import Testing

@testable import CastClient

/// Queues that do not fit into one message.
@Suite struct MediaMessagePartsTests {
    private static func items(_ count: Int, bytes: Int = 300) -> [QueueItem] {
        (0..<count).map { number in
            QueueItem(json: [
                "media": [
                    "contentId": .string("item-\(number)"), "contentType": "video/mp4", "streamType": "BUFFERED",
                    "customData": .string(String(repeating: "x", count: bytes)),
                ]
            ])
        }
    }

    private static func load(_ items: [QueueItem], startIndex: Int? = nil) -> MediaCommand {
        var queue = QueueData()
        queue.items = items
        queue.startIndex = startIndex
        var load = LoadRequest()
        load.queueData = queue
        load.currentTime = 7
        return .load(load)
    }

    /// A receiver that carries out loads and insertions, and tells what its queue is.
    private struct Receiver {
        var queue: [(id: Int, content: String)] = []
        var current: Int?
        var session = 1
        var messages = 0

        mutating func perform(_ json: JSONObject) -> JSONObject {
            self.messages += 1
            let request = MediaRequest(json: json)
            let queue = json.object("queueData").map { QueueData(json: $0) }
            let given = queue?.items ?? request.items ?? []
            let new = given.map { (id: 0, content: $0.media?.contentID ?? "") }
            let first = (self.queue.map(\.id).max() ?? 0) + 1
            let items = new.enumerated().map { (id: first + $0, content: $1.content) }
            if request.type == .load {
                self.session += 1
                self.queue = items
                self.current = items[queue?.startIndex ?? 0].id
            } else {
                let place = request.insertBefore.flatMap { id in self.queue.firstIndex { $0.id == id } }
                self.queue.insert(contentsOf: items, at: place ?? self.queue.count)
                if let index = request.currentItemIndex { self.current = items[index].id }
            }
            return MediaBench.status([
                "mediaSessionId": .number(self.session), "currentItemId": self.current.map { .number($0) } ?? .null,
                "items": [["itemId": self.current.map { .number($0) } ?? .null]],
                "media": ["contentId": .string(self.queue.first { $0.id == self.current }?.content ?? "")],
            ])
        }
    }

    private static func run(
        _ command: MediaCommand, on bench: inout MediaBench, _ receiver: inout Receiver, failingAt failure: Int? = nil
    ) throws -> RequestOutcome {
        let ticket = bench.perform(command)
        while bench.outcome(of: ticket) == nil {
            let message = try #require(bench.lastSent)
            #expect(JSONValue.object(message).text.utf8.count <= MediaOutbox.payloadLimit)
            if receiver.messages == failure {
                bench.answer(["type": "INVALID_REQUEST", "reason": "INVALID_PARAMS"])
            } else {
                let status = receiver.perform(message)
                bench.answer(["type": "MEDIA_STATUS", "status": [.object(status)]])
            }
        }
        return try #require(bench.outcome(of: ticket))
    }

    @Test(arguments: [nil, 0, 150, 399] as [Int?])
    func aLongQueueIsLoadedInParts(startIndex: Int?) throws {
        var bench = MediaBench()
        bench.attach()
        bench.answer(["type": "MEDIA_STATUS", "status": []])
        var receiver = Receiver()
        let outcome = try Self.run(Self.load(Self.items(400), startIndex: startIndex), on: &bench, &receiver)
        #expect(outcome.isCompleted)
        #expect(receiver.messages > 1)
        #expect(receiver.queue.map(\.content) == (0..<400).map { "item-\($0)" })
        #expect(receiver.queue.first { $0.id == receiver.current }?.content == "item-\(startIndex ?? 0)")
        #expect(bench.state.requestCount == 0)
    }

    @Test(arguments: [nil, 300] as [Int?])
    func manyItemsAreInsertedInParts(playing: Int?) throws {
        var bench = MediaBench.playing()
        var receiver = Receiver(queue: [(1, "a"), (2, "b")], current: 1)
        let command = MediaCommand.insert(Self.items(400), before: 2, playing: playing)
        #expect(try Self.run(command, on: &bench, &receiver).isCompleted)
        #expect(receiver.queue.map(\.content) == ["a"] + (0..<400).map { "item-\($0)" } + ["b"])
        #expect(receiver.queue.first { $0.id == receiver.current }?.content == (playing.map { "item-\($0)" } ?? "a"))
    }

    @Test func aLaterPartThatFailsIsToldWithWhatWasLoaded() throws {
        var bench = MediaBench()
        bench.attach()
        bench.answer(["type": "MEDIA_STATUS", "status": []])
        var receiver = Receiver()
        let outcome = try Self.run(Self.load(Self.items(400)), on: &bench, &receiver, failingAt: 2)
        guard case .failed(let error) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.code == .invalidRequest && error.reason == "INVALID_PARAMS")
        #expect(error.message.hasPrefix("\(receiver.queue.count) of 400 items are in the queue"))
        #expect(receiver.queue.count > 100)
    }

    @Test func theFirstPartFailsAsAnyLoadDoes() throws {
        var bench = MediaBench()
        bench.attach()
        bench.answer(["type": "MEDIA_STATUS", "status": []])
        var receiver = Receiver()
        let outcome = try Self.run(Self.load(Self.items(400)), on: &bench, &receiver, failingAt: 0)
        guard case .failed(let error) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.message == "the device refuses: INVALID_REQUEST, INVALID_PARAMS")
    }

    @Test func aLaterPartIsNotAddedToAnotherQueue() throws {
        var bench = MediaBench()
        bench.attach()
        bench.answer(["type": "MEDIA_STATUS", "status": []])
        var receiver = Receiver()
        let ticket = bench.perform(Self.load(Self.items(400)))
        let first = receiver.perform(try #require(bench.lastSent))
        bench.answer(["type": "MEDIA_STATUS", "status": [.object(first)]])
        bench.push(MediaBench.status(["mediaSessionId": 9, "media": ["contentId": "other"]]))
        bench.answer(["type": "MEDIA_STATUS", "status": [.object(MediaBench.status(["mediaSessionId": 9]))]])
        #expect(bench.error(of: ticket)?.code == .replaced)
        #expect(bench.sent.isEmpty)
    }

    @Test func anItemThatIsTooLongIsRefusedBeforeAnythingIsSent() throws {
        var bench = MediaBench()
        bench.attach()
        bench.answer(["type": "MEDIA_STATUS", "status": []])
        let ticket = bench.perform(Self.load(Self.items(300) + Self.items(1, bytes: 70_000)))
        #expect(bench.error(of: ticket)?.code == .messageTooBig)
        #expect(bench.sent.isEmpty)
    }

    @Test(arguments: ["REPEAT_ALL", "REPEAT_SINGLE", "REPEAT_ALL_AND_SHUFFLE"])
    func aQueueThatReplacesAnotherGoesOnInItsRepeatMode(mode: String) {
        var bench = MediaBench.playing(["repeatMode": .string(mode), "items": [["itemId": 1]]])
        bench.perform(Self.load(Self.items(2)))
        #expect(bench.lastSent?.object("queueData")?.string("repeatMode") == mode)
        bench.perform(.loadQueue(Self.items(2)))
        #expect(bench.lastSent?.string("repeatMode") == mode)
    }

    @Test func aRepeatModeThatIsNamedCounts() {
        var bench = MediaBench.playing(["repeatMode": "REPEAT_ALL", "items": [["itemId": 1]]])
        var queue = QueueData()
        queue.items = Self.items(2)
        queue.repeatMode = .off
        var load = LoadRequest()
        load.queueData = queue
        bench.perform(.load(load))
        #expect(bench.lastSent?.object("queueData")?.string("repeatMode") == "REPEAT_OFF")
    }
}
