import CastWire
import NIOCore
import Testing

@testable import BuiltInReceiver

@Suite struct StoredStateTests {
    @Test func anotherPlayerGoesOnFromAStoredState() throws {
        var first = PlayerBench()
        let media: JSONObject = [
            "duration": 100, "tracks": [["trackId": 4, "type": "TEXT"]],
            "breaks": [["id": "b", "position": 0, "breakClipIds": ["c"], "isWatched": true]],
            "breakClips": [["id": "c"]],
        ]
        let items = JSONValue.array((1...4).map { .object(PlayerBench.item("i\($0)", ["startTime": 3], media: media)) })
        first.play([
            "queueData": ["items": items, "startIndex": 2, "repeatMode": "REPEAT_ALL", "name": "Q", "shuffle": true],
            "currentTime": 20,
            "activeTrackIds": [4], "playbackRate": 1.5, "credentials": "secret",
        ])
        first.pass(10)
        let reply = first.send("STORE_SESSION")
        #expect(reply?.type == "SESSION_STATE")
        #expect(first.broadcasts.isEmpty)
        let state = try #require(reply?["sessionState"])
        #expect(!state.text.contains("secret"))

        var second = PlayerBench()
        second.send("RESUME_SESSION", ["sessionState": state])
        second.pass(0.2)
        #expect(second.replies().first?.status?.playerState == .buffering)
        second.pass(0.1)
        let before = first.status()
        let after = second.status()
        #expect(after?.currentTime == 35 && after?.currentTime == before?.currentTime)
        #expect(after?.playerState == .playing && after?.playbackRate == 1.5)
        #expect(after?.activeTrackIDs == [4] && after?.repeatMode == .all)
        #expect(after?.media == before?.media)
        #expect(after?.currentItemID == 3 && after?.queueData?.name == "Q")
        #expect(after?.queueData?.isShuffled == true)
        #expect(second.player.session?.queue.entries.map(\.item) == first.player.session?.queue.entries.map(\.item))
    }

    @Test func aPausedStateStaysPaused() throws {
        var first = PlayerBench()
        first.play(["media": PlayerBench.media("a")])
        first.pass(5)
        first.command("PAUSE")
        let stored = first.command("STORE_SESSION")
        let state = try #require(stored?["sessionState"])
        var second = PlayerBench()
        second.send("RESUME_SESSION", ["sessionState": state])
        second.pass(0.3)
        #expect(second.statuses.last?.playerState == .paused && second.statuses.last?.currentTime == 5)
    }

    @Test func aLongQueueKeepsWhatFits() throws {
        var bench = PlayerBench()
        bench.playQueue(100, ["startIndex": 50], item: ["customData": .string(String(repeating: "x", count: 1500))])
        let reply = bench.send("STORE_SESSION")
        let size = try #require(reply.map { JSONValue.object($0).textLength })
        #expect(size < 62_000)
        let data = reply?.object("sessionState").map(SessionState.init(json:))?.loadRequestData?.queueData
        let index = try #require(data?.startIndex)
        #expect(data?.items?[index].media?.contentID == "i51")
        #expect((data?.items?.count ?? 0) > 20)
    }

    @Test func withoutMediaOrStateThereIsNothing() {
        var bench = PlayerBench()
        #expect(bench.send("STORE_SESSION")?.type == "INVALID_PLAYER_STATE")
        #expect(bench.send("RESUME_SESSION")?.reason == "INVALID_PARAMS")
        #expect(bench.send("RESUME_SESSION", ["sessionState": ["loadRequestData": [:]]])?.reason == "INVALID_PARAMS")
        bench.play(["media": PlayerBench.media("a")])
        bench.sendRaw(["type": "STORE_SESSION"])
        #expect(bench.actions.isEmpty)
    }

    /// The queue's own fields and the media came in different messages, and do not fit into one together.
    @Test func aLongDescriptionOfTheQueueIsLeftOut() throws {
        var bench = PlayerBench()
        let long = JSONValue.string(String(repeating: "x", count: 40_000))
        bench.play([
            "queueData": [
                "items": [.object(PlayerBench.item("a"))], "repeatMode": "REPEAT_ALL",
                "containerMetadata": ["title": long],
            ]
        ])
        bench.command("QUEUE_INSERT", ["items": [.object(PlayerBench.item("b", media: ["customData": long]))]])
        bench.command("QUEUE_NEXT")
        bench.pass(0.3)
        let answer = bench.send("STORE_SESSION")
        let reply = try #require(answer)
        #expect(JSONValue.object(reply).textLength < 62_000)
        let load = reply.object("sessionState").map(SessionState.init(json:))?.loadRequestData
        #expect(load?.media?.contentID == "b" && load?.queueData?.repeatMode == .all)
        #expect(load?.queueData?.containerMetadata == nil)
    }

    /// The style came later than the media, and together they are too long.
    @Test func mediaThatAreTooLongForAMessageAreRefused() {
        var bench = PlayerBench()
        bench.play(["media": PlayerBench.media("a", ["customData": .string(String(repeating: "x", count: 62_000))])])
        #expect(bench.send("STORE_SESSION")?.type == "SESSION_STATE")
        bench.command(
            "EDIT_TRACKS_INFO", ["textTrackStyle": ["fontFamily": .string(String(repeating: "y", count: 3_000))]])
        #expect(bench.send("STORE_SESSION")?.reason == "APP_ERROR")
    }
}
