import CastWire
import GatewayConfig
import NIOCore
import Testing

@testable import BuiltInReceiver

@Suite struct BreakTests {
    private func bench(_ breaks: JSONValue, _ fields: JSONObject = [:]) -> PlayerBench {
        var bench = PlayerBench(SimulationOptions { $0.buffering = .zero })
        var load: JSONObject = [
            "media": PlayerBench.media(
                "a",
                [
                    "duration": 100, "breaks": breaks,
                    "breakClips": [
                        ["id": "c1", "duration": 10, "whenSkippable": 5], ["id": "c2", "duration": 8],
                        ["id": "c3", "duration": 6, "whenSkippable": 0],
                    ],
                ])
        ]
        for member in fields.members { load[member.name] = member.value }
        bench.send("LOAD", load)
        bench.pass(0.2)
        return bench
    }

    private static func plan(_ id: String, _ position: JSONValue, _ clips: JSONValue) -> JSONValue {
        ["id": .string(id), "position": position, "breakClipIds": clips, "isWatched": false]
    }

    @Test func thePreRollComesFirst() throws {
        var bench = self.bench([Self.plan("pre", 0, ["c1", "c2"])])
        var status = try #require(bench.statuses.last)
        #expect(
            status.breakStatus?.json == [
                "breakId": "pre", "breakClipId": "c1", "currentBreakTime": 0, "currentBreakClipTime": 0,
                "whenSkippable": 5,
            ])
        #expect(status.supportedMediaCommands.rawValue == 274447 - 2)
        bench.pass(5)
        status = try #require(bench.statuses.last)
        #expect(status.supportedMediaCommands.contains(.skipAd) && status.breakStatus?.currentBreakClipTime == 5)
        bench.pass(5)
        status = try #require(bench.statuses.last)
        #expect(status.breakStatus?.breakClipID == "c2" && status.breakStatus?.whenSkippable == nil)
        #expect(!status.supportedMediaCommands.contains(.skipAd))
        bench.pass(3)
        let inside = bench.status()
        #expect(inside?.breakStatus?.currentBreakTime == 13 && inside?.breakStatus?.currentBreakClipTime == 3)
        #expect(inside?.currentTime == 0)
        bench.pass(5)
        status = try #require(bench.statuses.last)
        #expect(status.breakStatus == nil && status.media?.breaks?.first?.isWatched == true)
        #expect(status.supportedMediaCommands.rawValue == 274447)
        bench.pass(10)
        #expect(bench.status()?.currentTime == 10)
    }

    @Test func theMediaStandsWhileABreakPlays() {
        var bench = self.bench([Self.plan("mid", 20, ["c2"])])
        bench.pass(19)
        #expect(bench.actions.isEmpty)
        bench.pass(5)
        #expect(bench.statuses.last?.breakStatus?.breakID == "mid")
        #expect(bench.status()?.currentTime == 20)
        #expect(bench.status()?.breakStatus?.currentBreakTime == 4)
        bench.command("PAUSE")
        bench.pass(60)
        #expect(bench.status()?.breakStatus?.currentBreakTime == 4)
        bench.command("PLAY")
        bench.pass(4)
        #expect(bench.statuses.last?.breakStatus == nil)
        bench.pass(80)
        #expect(bench.states == ["IDLE/FINISHED"])
    }

    @Test func skippingHonoursItsTime() {
        var bench = self.bench([Self.plan("pre", 0, ["c1", "c3"])])
        #expect(bench.command("SKIP_AD")?.type == "INVALID_PLAYER_STATE")
        bench.pass(6)
        #expect(bench.command("SKIP_AD")?.status?.breakStatus?.breakClipID == "c3")
        #expect(bench.status()?.supportedMediaCommands.contains(.skipAd) == true)
        #expect(bench.send("USER_ACTION", ["userAction": "SKIP_AD"])?.status?.breakStatus == nil)
        #expect(bench.status()?.media?.breaks?.first?.isWatched == true)
        #expect(bench.command("SKIP_AD")?.type == "INVALID_PLAYER_STATE")
        bench.pass(1)
        #expect(bench.status()?.currentTime == 1)
    }

    @Test func seekingOverBreaksPlaysTheLastOne() {
        var bench = self.bench([Self.plan("m1", 20, ["c1"]), Self.plan("m2", 40, ["c2"])])
        let reply = bench.command("SEEK", ["currentTime": 60])
        #expect(reply?.status?.breakStatus?.breakID == "m2" && reply?.status?.currentTime == 40)
        #expect(bench.command("SEEK", ["currentTime": 70])?.type == "INVALID_PLAYER_STATE")
        bench.pass(8)
        #expect(bench.status()?.currentTime == 60)
        #expect(bench.command("SEEK", ["currentTime": 10])?.status?.breakStatus == nil)
        bench.pass(10)
        #expect(bench.statuses.last?.breakStatus?.breakID == "m1")
    }

    @Test func aLoadInTheMiddlePlaysTheBreakBefore() {
        var bench = self.bench([Self.plan("pre", 0, ["c2"])], ["currentTime": 50])
        #expect(bench.statuses.last?.breakStatus?.breakID == "pre")
        bench.pass(8)
        #expect(bench.statuses.last?.currentTime == 50)
    }

    @Test func thePostRollComesBeforeTheEnd() {
        var bench = self.bench([Self.plan("post", -1, ["c3"])])
        bench.pass(100)
        #expect(bench.statuses.last?.breakStatus?.breakID == "post" && bench.statuses.last?.currentTime == 100)
        bench.pass(6)
        #expect(bench.states == ["IDLE/FINISHED"])
        var skipped = self.bench([Self.plan("post", -1, ["c3"])])
        skipped.pass(100)
        skipped.command("SKIP_AD")
        #expect(skipped.states.last == "IDLE/FINISHED")
    }

    @Test func watchedAndEmbeddedBreaksDoNotPlay() {
        var bench = self.bench([
            ["id": "w", "position": 0, "breakClipIds": ["c1"], "isWatched": true],
            ["id": "e", "position": 5, "breakClipIds": ["c1"], "isEmbedded": true],
            ["id": "n", "position": 6, "breakClipIds": ["none"]], ["id": "x", "position": "y", "breakClipIds": ["c1"]],
            5,
        ])
        #expect(bench.statuses.last?.breakStatus == nil)
        bench.pass(30)
        #expect(bench.actions.isEmpty)
        #expect(bench.status()?.currentTime == 30)
    }

    @Test func unknownLengthsAreShared() {
        var bench = PlayerBench(SimulationOptions { $0.buffering = .zero })
        bench.send(
            "LOAD",
            [
                "media": PlayerBench.media(
                    "a",
                    [
                        "breaks": [["id": "b", "position": 0, "duration": 10, "breakClipIds": ["p", "q"]]],
                        "breakClips": [["id": "p"], ["id": "q", "duration": -1]],
                    ])
            ])
        bench.pass(5.2)
        #expect(bench.statuses.last?.breakStatus?.breakClipID == "q")
        bench.pass(5)
        #expect(bench.statuses.last?.breakStatus == nil)
    }

    @Test func anotherItemEndsTheBreak() {
        var bench = PlayerBench(SimulationOptions { $0.buffering = .zero })
        let media: JSONObject = ["breaks": [Self.plan("pre", 0, ["c"])], "breakClips": [["id": "c", "duration": 9]]]
        bench.send(
            "QUEUE_LOAD", ["items": [.object(PlayerBench.item("a", media: media)), .object(PlayerBench.item("b"))]])
        bench.pass(1)
        bench.command("QUEUE_NEXT")
        bench.pass(1)
        #expect(bench.status()?.breakStatus == nil && bench.status()?.currentItemID == 2)
    }

    /// A break with names that are longer than a frame takes is left out of the status rather than the status lost.
    @Test func aStatusWithLongNamesOfBreaksFitsIntoAMessage() throws {
        let (id, clip) = (String(repeating: "b", count: 58_000), String(repeating: "c", count: 3_000))
        var bench = PlayerBench()
        bench.play([
            "media": PlayerBench.media(
                "a",
                [
                    "breaks": [["id": .string(id), "position": 0, "breakClipIds": [.string(clip)]]],
                    "breakClips": [["id": .string(clip), "duration": 9]],
                ])
        ])
        let answer = bench.send("GET_STATUS")
        let status = try #require(answer)
        #expect(JSONValue.object(status).textLength <= 60_000)
        #expect(status.status?.playerState == .playing)
    }
}
