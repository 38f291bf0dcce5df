import CastWire
import GatewayConfig
import NIOCore
import Testing

@testable import BuiltInReceiver

/// What `options` of an app say of its player beside times and failures.
@Suite struct AppOptionsTests {
    private static func bench(_ commands: [MediaCommandName]?, refuses: Bool = true) -> PlayerBench {
        var bench = PlayerBench(
            SimulationOptions {
                $0.supportedCommands = commands
                $0.refusesOthers = refuses
            })
        bench.playQueue(2)
        return bench
    }

    @Test func commandsThatAreNotListedAreNeitherOfferedNorDone() {
        var bench = Self.bench([.pause, .streamMute, .queueNext, .repeatOne, .like])
        let offered = bench.status()?.supportedMediaCommands
        #expect(offered == [.pause, .streamMute, .queueNext, .queueRepeatOne, .like])
        let refused: [(String, JSONObject)] = [
            ("SEEK", ["currentTime": 5]), ("SET_VOLUME", ["volume": ["level": 0.5]]),
            ("SET_VOLUME", ["volume": ["level": 0.5, "muted": true]]), ("SET_PLAYBACK_RATE", ["playbackRate": 1.5]),
            ("EDIT_TRACKS_INFO", ["activeTrackIds": []]), ("EDIT_AUDIO_TRACKS", ["language": "de"]),
            ("QUEUE_PREV", [:]), ("QUEUE_UPDATE", ["jump": -1]), ("QUEUE_UPDATE", ["repeatMode": "REPEAT_ALL"]),
            ("QUEUE_UPDATE", ["shuffle": true]), ("QUEUE_SHUFFLE", [:]), ("SKIP_AD", [:]),
            ("USER_ACTION", ["userAction": "DISLIKE"]), ("STORE_SESSION", [:]),
        ]
        for (type, fields) in refused {
            let answer = bench.command(type, fields)
            #expect(answer?.type == "INVALID_REQUEST" && answer?.reason == "NOT_SUPPORTED", "\(type)")
        }
        #expect(bench.status()?.volume?.level == 1)
        let allowed: [(String, JSONObject)] = [
            ("PAUSE", [:]), ("PLAY", [:]), ("SET_VOLUME", ["volume": ["muted": true]]),
            ("QUEUE_UPDATE", ["repeatMode": "REPEAT_SINGLE"]), ("USER_ACTION", ["userAction": "LIKE"]),
            ("QUEUE_NEXT", [:]), ("GET_STATUS", [:]), ("STOP", [:]),
        ]
        for (type, fields) in allowed { #expect(bench.command(type, fields)?.type == "MEDIA_STATUS", "\(type)") }
    }

    @Test func commandsMayBeHiddenAndDoneAllTheSame() {
        var bench = Self.bench([.pause], refuses: false)
        #expect(bench.status()?.supportedMediaCommands == .pause)
        #expect(bench.command("SEEK", ["currentTime": 5])?.status?.currentTime == 5)
    }

    @Test func anEmptyListOffersNothing() {
        var bench = Self.bench([])
        #expect(bench.status()?.supportedMediaCommands == [])
        #expect(bench.command("PAUSE")?.reason == "NOT_SUPPORTED")
        #expect(bench.command("STOP")?.type == "MEDIA_STATUS")
    }

    @Test func withoutAListThePlayerDecides() {
        var bench = Self.bench(nil)
        #expect(bench.status()?.supportedMediaCommands.isSuperset(of: .defaultReceiver) == true)
        #expect(bench.command("SEEK", ["currentTime": 5])?.type == "MEDIA_STATUS")
    }

    @Test func theSpeedIsThatOfTheFileUnlessTheLoadNamesOne() {
        let options = SimulationOptions { $0.playbackRate = 1.5 }
        var bench = PlayerBench(options)
        bench.play(["media": PlayerBench.media("a")])
        #expect(bench.status()?.playbackRate == 1.5)
        bench.play(["media": PlayerBench.media("b"), "playbackRate": 1])
        #expect(bench.status()?.playbackRate == 1)
    }

    @Test func textIsShownInTheLanguageOfTheFile() {
        let tracks: JSONValue = [
            ["trackId": 1, "type": "AUDIO", "language": "de"], ["trackId": 2, "type": "TEXT", "language": "en"],
            ["trackId": 3, "type": "TEXT", "language": "de-AT"],
        ]
        let media = PlayerBench.media("a", ["tracks": tracks])
        var bench = PlayerBench(SimulationOptions { $0.textLanguage = "de" })
        bench.play(["media": media])
        #expect(bench.status()?.activeTrackIDs == [3])
        bench.play(["media": media, "activeTrackIds": []])
        #expect(bench.status()?.activeTrackIDs == [])
        bench.play(["media": PlayerBench.media("b")])
        #expect(bench.status()?.activeTrackIDs == [])
        var other = PlayerBench(SimulationOptions { $0.textLanguage = "fr" })
        other.play(["media": media])
        #expect(other.status()?.activeTrackIDs == [])
    }

    @Test(arguments: [false, true]) func breaksThatWereWatchedMayPlayAgain(_ plays: Bool) {
        var bench = PlayerBench(
            SimulationOptions {
                $0.buffering = .zero
                $0.playsWatchedBreaks = plays
            })
        bench.play([
            "media": PlayerBench.media(
                "a",
                [
                    "duration": 100,
                    "breaks": [["id": "pre", "position": 0, "breakClipIds": ["c1"], "isWatched": true]],
                    "breakClips": [["id": "c1", "duration": 10]],
                ])
        ])
        #expect((bench.status()?.breakStatus != nil) == plays)
        bench.pass(10)
        #expect(bench.status()?.breakStatus == nil)
        bench.pass(20)
        #expect(bench.status()?.playerState == .playing)
    }

    @Test(arguments: [(Duration?.none, 60), (.seconds(5), 5)])
    func anAppIsClosedInItsOwnTime(_ timeout: Duration?, seconds: Int) {
        var bench = PlatformBench(
            apps: [VirtualAppConfiguration(id: "ABCD1234") { $0.idleTimeout = timeout }], idleTimeout: .seconds(60))
        _ = bench.launch("ABCD1234")
        #expect(bench.platform.nextDeadline == bench.now + .seconds(Int64(seconds)))
        let early = bench.advance(by: .seconds(seconds - 1))
        #expect(early.isEmpty)
        let due = bench.advance(by: .seconds(1))
        #expect(due.summaries.contains("ended session-1 idle"))
    }

    @Test func anAppMayStayForEver() {
        var bench = PlatformBench(
            apps: [VirtualAppConfiguration(id: "ABCD1234") { $0.idleTimeout = .zero }], idleTimeout: .seconds(60))
        _ = bench.launch("ABCD1234")
        #expect(bench.platform.nextDeadline == nil)
    }
}
