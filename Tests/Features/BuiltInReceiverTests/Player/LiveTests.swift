import CastWire
import GatewayConfig
import NIOCore
import Testing

@testable import BuiltInReceiver

@Suite struct LiveTests {
    private func bench(_ media: JSONObject) -> PlayerBench {
        var bench = PlayerBench(SimulationOptions { $0.buffering = .zero })
        var media = media
        media["streamType"] = "LIVE"
        bench.send("LOAD", ["media": .object(media)])
        bench.pass(0.2)
        return bench
    }

    @Test func aManifestJoinsAtTheEdgeOfAFullWindow() throws {
        var bench = self.bench(["contentId": "http://h/live.m3u8"])
        var status = try #require(bench.statuses.last)
        #expect(status.media?.json["duration"] == nil)
        #expect(status.currentTime == 30)
        #expect(status.liveSeekableRange?.json == ["start": 0, "end": 30, "isMovingWindow": true, "isLiveDone": false])
        bench.pass(10)
        let polled = bench.status()
        status = try #require(polled)
        #expect(status.currentTime == 40)
        #expect(status.liveSeekableRange?.start == 10 && status.liveSeekableRange?.end == 40)
        #expect(bench.command("SEEK", ["currentTime": 0])?.status?.currentTime == 10)
        #expect(bench.command("SEEK", ["currentTime": 1_000_000])?.status?.currentTime == 40)
        #expect(bench.command("SEEK", ["relativeTime": -5])?.status?.currentTime == 35)
        #expect(bench.command("SEEK")?.status?.currentTime == 40)
        #expect(bench.player.nextDeadline == nil)
    }

    /// As go-chromecast has `--start-time -1` mean the edge.
    @Test(arguments: [-1.0, -3600]) func aStartBeforeTheStartIsNone(_ start: Double) {
        var bench = PlayerBench(SimulationOptions { $0.buffering = .zero })
        let media: JSONObject = ["contentId": "http://h/live.m3u8", "streamType": "LIVE"]
        bench.send("LOAD", ["media": .object(media), "currentTime": .number(start)])
        bench.pass(0.2)
        #expect(bench.statuses.last?.currentTime == 30)
        bench.send("QUEUE_LOAD", ["items": [["media": .object(media), "startTime": .number(start)]]])
        bench.pass(0.2)
        #expect(bench.statuses.last?.currentTime == 30)
        bench.send("LOAD", ["media": ["contentId": "http://h/film.mp4"], "currentTime": .number(start)])
        bench.pass(0.2)
        #expect(bench.statuses.last?.currentTime == 0)
    }

    @Test func aPausedStreamIsLeftBehind() {
        var bench = self.bench(["contentId": "http://h/live.m3u8"])
        bench.command("PAUSE")
        bench.pass(20)
        #expect(bench.status()?.currentTime == 30)
        #expect(bench.command("PLAY")?.status?.currentTime == 30)
        bench.command("PAUSE")
        bench.pass(100)
        #expect(bench.status()?.currentTime == 30)
        #expect(bench.command("PLAY")?.status?.currentTime == 120)
        bench.pass(1)
        #expect(bench.status()?.currentTime == 121)
    }

    @Test func theRateCannotLeaveTheWindow() {
        var bench = self.bench(["contentId": "http://h/live.m3u8"])
        bench.command("SET_PLAYBACK_RATE", ["playbackRate": 2])
        bench.pass(10)
        #expect(bench.status()?.currentTime == 40)
        bench.command("SET_PLAYBACK_RATE", ["playbackRate": 0.5])
        bench.pass(10)
        #expect(bench.status()?.currentTime == 45)
        bench.pass(90)
        #expect(bench.status()?.currentTime == 110)
        #expect(bench.status()?.liveSeekableRange?.start == 110)
    }

    @Test func aProgressiveStreamBeginsAtZero() {
        var bench = self.bench([
            "contentId": "http://h/stream", "contentType": "video/x-matroska", "startAbsoluteTime": 1e9,
        ])
        #expect(bench.statuses.last?.currentTime == 0)
        bench.pass(10)
        let status = bench.status()
        #expect(status?.currentTime == 10)
        #expect(status?.liveSeekableRange?.start == 0 && status?.liveSeekableRange?.isMovingWindow == false)
        #expect(status?.media?.startAbsoluteTime == 1e9)
        #expect(status?.supportedMediaCommands.rawValue == 274447)
        #expect(status?.liveSeekableRange?.end == 40)
        #expect(bench.command("SEEK", ["currentTime": 20])?.status?.currentTime == 20)
        bench.command("PAUSE")
        bench.pass(300)
        #expect(bench.command("PLAY")?.status?.currentTime == 20)
    }

    @Test func liveWithALengthIsAFile() {
        var bench = self.bench(["contentId": "http://h/a.mp4", "duration": 20])
        #expect(bench.statuses.last?.liveSeekableRange == nil)
        #expect(bench.statuses.last?.media?.duration == 20)
        bench.pass(20)
        #expect(bench.states == ["IDLE/FINISHED"])
    }
}
