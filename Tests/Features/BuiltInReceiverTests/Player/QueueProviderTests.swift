import CastWire
import GatewayConfig
import Testing

@testable import BuiltInReceiver

/// What a player asks the provider of its queue, and what it makes of the answers.
struct QueueProviderTests {
    private static func bench() -> PlayerBench {
        PlayerBench(
            queue: VirtualQueueConfiguration {
                $0.provider = .init(plugin: "radio")
                $0.statusLimit = 5
            })
    }

    private static func items(_ names: String...) -> JSONValue {
        .array(names.map { .object(PlayerBench.item($0)) })
    }

    /// Loads one item, and has the provider answer with a queue of three.
    private static func playing() throws -> PlayerBench {
        var bench = self.bench()
        bench.send("LOAD", ["media": PlayerBench.media("x", ["duration": 100])])
        let asked = try #require(bench.questions.first)
        bench.provide(asked.token, ["items": Self.items("x", "a", "b"), "name": "Radio"])
        bench.pass(0.3)
        return bench
    }

    private static func names(_ bench: PlayerBench) -> [String] {
        bench.player.session?.queue.entries.compactMap { $0.item.media?.contentID } ?? []
    }

    @Test func aLoadWaitsForItsQueue() throws {
        var bench = Self.bench()
        #expect(bench.send("LOAD", ["media": PlayerBench.media("x"), "autoplay": true]) == nil)
        let (question, token) = try #require(bench.questions.first)
        #expect(question.kind == .initialize)
        #expect(question.details.object("request")?.object("media")?.string("contentId") == "x")
        #expect(bench.player.isActive)
        bench.provide(token, ["items": Self.items("a", "x", "b"), "startIndex": 1, "repeatMode": "REPEAT_ALL"])
        #expect(bench.statuses.last?.currentItemID == 2)
        bench.pass(0.3)
        #expect(bench.status()?.items?.count == 3)
        #expect(bench.player.session?.queue.repeatMode == .all)
    }

    @Test(
        arguments: [nil, ["items": []], ["items": [["itemId": 3, "media": ["contentId": "a"]]]], ["items": [7]]]
            as [JSONObject?])
    func withoutAQueueTheLoadIsWhatTheSenderAskedFor(_ answer: JSONObject?) throws {
        var bench = Self.bench()
        bench.send("LOAD", ["media": PlayerBench.media("x")])
        bench.provide(try #require(bench.questions.first?.token), answer)
        bench.pass(0.3)
        #expect(Self.names(bench) == ["x"])
        #expect(bench.states.last == "PLAYING" || bench.status()?.playerState == .playing)
    }

    @Test func aNewerLoadTakesThePlaceOfOneThatWaits() throws {
        var bench = Self.bench()
        bench.send("LOAD", ["media": PlayerBench.media("x")])
        let first = try #require(bench.questions.first?.token)
        bench.send("LOAD", ["media": PlayerBench.media("y")])
        #expect(bench.replies().first?.type == "LOAD_CANCELLED")
        let second = try #require(bench.questions.last?.token)
        bench.provide(first, ["items": Self.items("x")])
        #expect(bench.player.session == nil)
        bench.provide(second, nil)
        #expect(Self.names(bench) == ["y"])
    }

    @Test func aQueueOfTheSendersIsTheSenders() {
        var bench = Self.bench()
        bench.playQueue(3)
        #expect(Self.names(bench) == ["i1", "i2", "i3"])
    }

    @Test func whatFollowsTheLastItemIsFetchedOnce() throws {
        var bench = try Self.playing()
        bench.command("QUEUE_NEXT")
        #expect(!bench.questions.contains { $0.question.kind == .nextItems })
        bench.command("QUEUE_NEXT")
        let asked = try #require(bench.questions.first { $0.question.kind == .nextItems })
        #expect(asked.question.details.object("item")?.object("media")?.string("contentId") == "b")
        bench.command("PAUSE")
        #expect(bench.questions.isEmpty)
        bench.provide(asked.token, ["items": Self.items("c", "d")])
        #expect(Self.names(bench) == ["x", "a", "b", "c", "d"])
        #expect(bench.broadcasts.last?.string("changeType") == "INSERT")
        // One that says that nothing follows is not asked again about the same item.
        for _ in 0..<2 { bench.command("QUEUE_NEXT") }
        let last = try #require(bench.questions.first { $0.question.kind == .nextItems })
        bench.provide(last.token, ["items": []])
        bench.command("PLAY")
        #expect(bench.questions.isEmpty)
    }

    @Test func whatComesBeforeTheFirstItemIsFetched() throws {
        var bench = Self.bench()
        bench.send("LOAD", ["media": PlayerBench.media("x")])
        bench.provide(try #require(bench.questions.first?.token), ["items": Self.items("x", "a")])
        let asked = try #require(bench.questions.first { $0.question.kind == .previousItems })
        bench.provide(asked.token, ["items": Self.items("w")])
        #expect(Self.names(bench) == ["w", "x", "a"])
        #expect(bench.player.session?.queue.current?.item.media?.contentID == "x")
    }

    @Test func aRangeBeyondTheEndIsAskedFor() throws {
        var bench = try Self.playing()
        let ids = try #require(bench.player.session?.queue.ids)
        #expect(
            bench.command("QUEUE_GET_ITEM_RANGE", ["itemId": .number(ids[0]), "nextCount": 2])?.type == "QUEUE_ITEMS")
        #expect(bench.command("QUEUE_GET_ITEM_RANGE", ["itemId": .number(ids[0]), "nextCount": 4]) == nil)
        let asked = try #require(bench.questions.first { $0.question.kind == .fetchItems })
        #expect(asked.question.details.int("nextCount") == 2)
        bench.provide(asked.token, ["next_items": Self.items("c", "d")])
        let answer = try #require(bench.replies().last)
        #expect(answer.array("items")?.count == 4)
    }

    @Test func theProviderMixesTheQueue() throws {
        var bench = try Self.playing()
        #expect(bench.command("QUEUE_SHUFFLE", ["shuffle": true]) == nil)
        let asked = try #require(bench.questions.first { $0.question.kind == .shuffle })
        bench.provide(asked.token, ["items": Self.items("b", "c", "a")])
        #expect(Self.names(bench) == ["x", "b", "c", "a"])
        #expect(bench.replies().last?.type == "MEDIA_STATUS")
        // Without an answer the player mixes by itself.
        bench.command("QUEUE_SHUFFLE", ["shuffle": true])
        let again = try #require(bench.questions.first { $0.question.kind == .shuffle })
        bench.provide(again.token, nil)
        #expect(Set(Self.names(bench)) == ["x", "a", "b", "c"])
    }

    /// What was asked about the former queue says nothing about the one that the provider mixed.
    @Test func anAnswerAboutTheFormerQueueAddsNothing() throws {
        var bench = try Self.playing()
        for _ in 0..<2 { bench.command("QUEUE_NEXT") }
        let more = try #require(bench.questions.first { $0.question.kind == .nextItems })
        bench.command("QUEUE_SHUFFLE", ["shuffle": true])
        let mixing = try #require(bench.questions.first { $0.question.kind == .shuffle })
        bench.provide(mixing.token, ["items": Self.items("a", "x")])
        let mixed = Self.names(bench)
        #expect(mixed == ["b", "a", "x"])
        bench.provide(more.token, ["items": Self.items("c")])
        #expect(Self.names(bench) == mixed)
    }

    @Test func anAnswerForAnEndedSessionChangesNothing() throws {
        var bench = try Self.playing()
        bench.command("QUEUE_SHUFFLE", ["shuffle": true])
        let asked = try #require(bench.questions.first { $0.question.kind == .shuffle })
        bench.command("STOP")
        bench.provide(asked.token, ["items": Self.items("b")])
        #expect(bench.player.session == nil)
        #expect(bench.replies().last?.type == "INVALID_REQUEST")
    }
}
