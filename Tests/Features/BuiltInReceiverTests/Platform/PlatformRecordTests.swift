import CastWire
import GatewayConfig
import GatewayCore
import NIOCore
import Testing

@testable import BuiltInReceiver

/// What a receiver runs outlives it.
@Suite struct PlatformRecordTests {
    /// A receiver that plays the second of three films, at 12 s.
    private static func playing(_ media: JSONObject = [:]) -> PlatformBench {
        var bench = PlatformBench()
        _ = bench.connect("sender-0")
        _ = bench.launch()
        _ = bench.connect("sender-0", to: bench.transport)
        let items = (1...3).map { number -> JSONValue in
            var film: JSONObject = [
                "contentId": .string("http://192.0.2.1/\(number).mp4"), "contentType": "video/mp4", "duration": 600,
                "metadata": ["metadataType": 0, "title": .string("Film \(number)")],
                "tracks": [["trackId": 7, "type": "TEXT", "subtype": "SUBTITLES", "language": "de"]],
            ]
            for member in media.members { film[member.name] = member.value }
            return ["media": .object(film), "activeTrackIds": [7]]
        }
        _ = bench.send(
            [
                "type": "QUEUE_LOAD", "requestId": 2, "items": .array(items), "startIndex": 1,
                "repeatMode": "REPEAT_ALL",
            ],
            in: .media, to: bench.transport)
        for _ in 0..<4 { _ = bench.advance(by: .milliseconds(500)) }
        _ = bench.advance(by: .seconds(10))
        return bench
    }

    /// Another receiver, started long after the first has ended.
    private static func restarted(
        _ old: PlatformBench, volume: VolumeConfiguration = VolumeConfiguration()
    ) throws -> (bench: PlatformBench, actions: [ReceiverPlatform.Action]) {
        let record = try #require(old.platform.record(at: old.now))
        // As it comes from the disk.
        let read = try #require(try JSONReader.read(JSONValue.object(record).text).objectValue)
        var bench = PlatformBench(volume: volume)
        bench.now = old.now + .hours(9)
        let actions = bench.platform.restore(read, at: bench.now)
        return (bench, actions)
    }

    @Test func sendersFindTheSameSession() throws {
        var old = Self.playing()
        _ = old.send(["type": "SET_VOLUME", "requestId": 3, "volume": ["level": 0.25, "muted": true]])
        _ = old.send(
            ["type": "SET_VOLUME", "requestId": 4, "mediaSessionId": 1, "volume": ["level": 0.5]], in: .media,
            to: old.transport)
        let before = try #require(old.media)
        let (restarted, actions) = try Self.restarted(old)
        var bench = restarted
        #expect(actions.summaries == ["started CC1AD845 \(old.transport)"])
        let (was, now) = (old.platform.status, bench.platform.status)
        #expect(now.volume == was.volume)
        #expect(now.applications.first?.statusText == was.applications.first?.statusText)
        #expect(bench.platform.currentSession == old.platform.currentSession)
        let connected = bench.connect("sender-9", to: old.transport)
        #expect(connected.accepted)
        // It stood still, and plays on.
        let after = try #require(bench.media)
        #expect(after == before)
        _ = bench.advance(by: .seconds(3))
        let moved = (bench.media?.double("currentTime") ?? 0) - (before.double("currentTime") ?? 0)
        #expect(abs(moved - 3) < 0.001)
        // Its buttons work as before.
        _ = bench.send(
            ["type": "QUEUE_UPDATE", "requestId": 5, "mediaSessionId": before["mediaSessionId"] ?? 1, "jump": 1],
            in: .media, from: "sender-9", to: old.transport)
        for _ in 0..<4 { _ = bench.advance(by: .milliseconds(500)) }
        #expect(bench.media?.object("media")?.object("metadata")?.string("title") == "Film 3")
    }

    @Test func whatIsPausedStaysPaused() throws {
        var old = Self.playing()
        _ = old.send(["type": "PAUSE", "requestId": 3, "mediaSessionId": 1], in: .media, to: old.transport)
        let before = try #require(old.media)
        var bench = try Self.restarted(old).bench
        _ = bench.advance(by: .seconds(60))
        #expect(bench.media == before && before.string("playerState") == "PAUSED")
    }

    @Test func aLiveStreamGoesOnAtItsEdge() throws {
        let old = Self.playing(["streamType": "LIVE", "duration": nil, "contentType": "application/x-mpegurl"])
        let bench = try Self.restarted(old).bench
        let media = try #require(bench.media)
        #expect(media.double("currentTime") == media.object("liveSeekableRange")?.double("end"))
    }

    @Test func aLevelThatTheFileChangesIsTheFiles() throws {
        var old = Self.playing()
        _ = old.send(["type": "SET_VOLUME", "requestId": 3, "volume": ["level": 0.25]])
        var changed = VolumeConfiguration()
        changed.level = 0.75
        #expect(try Self.restarted(old, volume: changed).bench.platform.volume.level == 0.75)
        #expect(try Self.restarted(old).bench.platform.volume.level == 0.25)
    }

    @Test func anUnusedAppIsClosedInItsTime() throws {
        var old = Self.playing()
        _ = old.send(["type": "STOP", "requestId": 3, "mediaSessionId": 1], in: .media, to: old.transport)
        var bench = try Self.restarted(old).bench
        #expect(bench.platform.currentSession != nil)
        let actions = bench.advance(by: .seconds(301))
        #expect(actions.summaries.contains("ended \(old.transport) idle"))
    }

    @Test func nothingIsKeptOfWhatIsNotRunning() {
        var bench = PlatformBench(backdrop: true)
        #expect(bench.platform.record(at: bench.now) == nil)
        _ = bench.launch()
        #expect(bench.platform.record(at: bench.now) != nil)
        _ = bench.send(["type": "STOP", "requestId": 2])
        #expect(bench.platform.record(at: bench.now) == nil)
    }

    /// The file may be another by now, and the record may be damaged.
    @Test(
        arguments: [
            [:], ["app": "CC1AD845"], ["app": "CC1AD845", "kind": "WEB", "sessionId": ""],
            ["app": "ABCD1234", "kind": "WEB", "sessionId": "a"],
        ] as [JSONObject])
    func whatCannotGoOnDoesNot(_ record: JSONObject) {
        var bench = PlatformBench()
        let actions = bench.platform.restore(record, at: bench.now)
        #expect(actions.isEmpty && bench.platform.currentSession == nil)
    }

    @Test(
        arguments: [
            ["session": ["id": 1, "queue": ["items": [], "index": 0]]],
            ["session": ["id": 1, "queue": ["items": [["itemId": 1], ["itemId": 1]], "index": 0]]],
            ["session": ["id": 1, "queue": ["items": [["itemId": 1]], "index": -1]]], ["session": 7],
        ] as [JSONObject])
    func anAppGoesOnWithoutMediaThatCannotBeRead(_ player: JSONObject) {
        var bench = PlatformBench()
        let record: JSONObject = [
            "app": "CC1AD845", "kind": "WEB", "sessionId": "a", "player": .object(player),
        ]
        let actions = bench.platform.restore(record, at: bench.now)
        #expect(actions.summaries == ["started CC1AD845 a"] && bench.media == nil)
    }
}
