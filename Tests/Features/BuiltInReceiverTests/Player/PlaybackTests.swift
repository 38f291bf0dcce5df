import CastWire
import NIOCore
import Testing

@testable import BuiltInReceiver

@Suite struct PlaybackTests {
    private func bench(duration: JSONValue = 100) -> PlayerBench {
        var bench = PlayerBench()
        bench.play(["media": PlayerBench.media("a", ["duration": duration])])
        return bench
    }

    @Test func timeRunsWithTheRateWhilePlaying() {
        var bench = self.bench()
        bench.pass(10)
        #expect(bench.status()?.currentTime == 10)
        #expect(bench.command("SET_PLAYBACK_RATE", ["playbackRate": 2])?.status?.playbackRate == 2)
        bench.pass(5)
        #expect(bench.status()?.currentTime == 20)
        #expect(bench.command("PAUSE")?.status?.playerState == .paused)
        bench.pass(60)
        #expect(bench.status()?.currentTime == 20)
        #expect(bench.status()?.playbackRate == 2)
        #expect(bench.command("PLAY")?.status?.currentTime == 20)
        #expect(bench.states == ["PLAYING"])
        bench.pass(40)
        #expect(bench.states == ["IDLE/FINISHED"])
        #expect(bench.send("GET_STATUS")?.array("status") == [])
    }

    @Test func relativeRatesMultiplyAndAreBounded() {
        var bench = self.bench()
        #expect(bench.command("SET_PLAYBACK_RATE", ["relativePlaybackRate": 1.5])?.status?.playbackRate == 1.5)
        #expect(bench.command("SET_PLAYBACK_RATE", ["relativePlaybackRate": 1.5])?.status?.playbackRate == 2)
        #expect(
            bench.command("SET_PLAYBACK_RATE", ["relativePlaybackRate": 9, "playbackRate": 0.1])?.status?.playbackRate
                == 0.5)
        for rate: JSONValue in [0, -1, "x", []] {
            #expect(bench.command("SET_PLAYBACK_RATE", ["playbackRate": rate])?.reason == "INVALID_PARAMS")
        }
        #expect(bench.command("SET_PLAYBACK_RATE")?.reason == "INVALID_PARAMS")
    }

    @Test func seekBuffersAndGoesOn() {
        var bench = self.bench()
        let reply = bench.command("SEEK", ["currentTime": 30])
        #expect(reply?.status?.playerState == .buffering && reply?.status?.currentTime == 30)
        #expect(bench.states == ["BUFFERING"])
        bench.pass(0.1)
        #expect(bench.states == ["PLAYING"])
        bench.pass(1)
        #expect(bench.command("SEEK", ["currentTime": 5, "relativeTime": -10])?.status?.currentTime == 21)
        #expect(bench.command("SEEK", ["relativeTime": -1000])?.status?.currentTime == 0)
    }

    @Test func seekKeepsOrChangesTheState() {
        var bench = self.bench()
        let paused = bench.command("SEEK", ["currentTime": 30, "resumeState": "PLAYBACK_PAUSE"])
        #expect(paused?.status?.playerState == .paused)
        #expect(bench.command("SEEK", ["currentTime": 40])?.status?.playerState == .paused)
        #expect(
            bench.command("SEEK", ["currentTime": 50, "resumeState": "PLAYBACK_START"])?.status?.playerState
                == .buffering)
        #expect(bench.command("SEEK", ["resumeState": "X", "currentTime": 1])?.reason == "INVALID_PARAMS")
        #expect(bench.command("SEEK")?.reason == "INVALID_PARAMS")
        #expect(bench.command("SEEK", ["currentTime": [1]])?.reason == "INVALID_PARAMS")
    }

    @Test func seekBehindTheEndFinishes() throws {
        var bench = self.bench()
        let far = try JSONReader.read("1e999")
        #expect(bench.command("SEEK", ["currentTime": far])?.status?.currentTime == 100)
        bench.pass(0.1)
        #expect(bench.states == ["PLAYING", "IDLE/FINISHED"])
    }

    @Test func seekWhileLoadingMovesTheStart() {
        var bench = PlayerBench()
        bench.send("LOAD", ["media": PlayerBench.media("a")])
        #expect(bench.command("SEEK", ["currentTime": 77])?.status?.extendedStatus != nil)
        #expect(bench.command("PAUSE")?.status?.playerState == .idle)
        bench.pass(0.3)
        #expect(bench.statuses.last?.currentTime == 77 && bench.statuses.last?.playerState == .paused)
    }

    @Test func stopEndsTheSession() {
        var bench = self.bench()
        let reply = bench.command("STOP")
        #expect(reply?.status?.label == "IDLE/CANCELLED")
        #expect(bench.states == ["IDLE/CANCELLED"])
        #expect(bench.statuses.first?.currentTime == 0 && bench.statuses.first?.media == nil)
        #expect(bench.send("STOP", ["mediaSessionId": 1])?.reason == "INVALID_MEDIA_SESSION_ID")
        #expect(bench.send("STOP")?.type == "INVALID_PLAYER_STATE")
        #expect(bench.send("PLAY", ["mediaSessionId": 1])?.type == "INVALID_PLAYER_STATE")
        #expect(bench.player.nextDeadline == nil)
    }

    @Test func stopWhileLoadingCancelsTheLoad() {
        var bench = PlayerBench()
        bench.send("LOAD", ["media": PlayerBench.media("a")])
        bench.command("STOP")
        #expect(bench.replies().map(\.type) == ["LOAD_CANCELLED", "MEDIA_STATUS"])
        #expect(bench.replies().map { $0["requestId"] } == [1, 2])
    }

    @Test func theMediaSessionMustBeTheRightOne() {
        var bench = self.bench()
        for id: JSONValue in [2, 0, "x", .null, 1e30] {
            #expect(bench.send("PAUSE", ["mediaSessionId": id])?.reason == "INVALID_MEDIA_SESSION_ID")
        }
        #expect(bench.send("PAUSE")?.reason == "INVALID_MEDIA_SESSION_ID")
        #expect(bench.send("PAUSE", ["mediaSessionId": "1"])?.status?.playerState == .paused)
        #expect(bench.send("GET_STATUS", ["mediaSessionId": 9])?.array("status") == [])
        #expect(bench.send("GET_STATUS", ["mediaSessionId": 1])?.status != nil)
    }

    @Test func unknownTypesAreInvalidCommands() {
        var bench = self.bench()
        for type in ["NONSENSE", "MEDIA_STATUS", "CUSTOM_STATE", ""] {
            #expect(bench.send(type)?.reason == "INVALID_COMMAND")
        }
        #expect(bench.sendRaw(["requestId": 5])?.reason == "INVALID_COMMAND")
        #expect(bench.sendRaw(["requestId": 5, "type": 5])?.reason == "INVALID_COMMAND")
    }

    @Test func getStatusLeavesOutWhatIsNotWanted() {
        var bench = PlayerBench()
        bench.play(["media": PlayerBench.media("a", ["metadata": ["title": "T"]])])
        let plain = bench.send("GET_STATUS", ["options": 1])?.status
        #expect(plain?.media != nil && plain?.media?.metadata == nil && plain?.items?.first?.media?.metadata == nil)
        #expect(bench.send("GET_STATUS", ["options": 2])?.status?.items == nil)
        #expect(bench.send("GET_STATUS", ["options": 3])?.status?.media?.metadata == nil)
        #expect(bench.send("GET_STATUS", ["options": "x"])?.status?.media?.metadata?.title == "T")
        #expect(bench.broadcasts.isEmpty)
    }

    @Test func streamVolumeIsPartialAndBounded() {
        var bench = self.bench()
        #expect(
            bench.command("SET_VOLUME", ["volume": ["muted": true]])?.status?.volume?.json == [
                "level": 1, "muted": true,
            ])
        #expect(
            bench.command("SET_VOLUME", ["volume": ["level": 0.25]])?.status?.volume?.json == [
                "level": 0.25, "muted": true,
            ])
        #expect(bench.command("SET_VOLUME", ["volume": ["level": 7]])?.status?.volume?.level == 1)
        for fields: JSONObject in [[:], ["volume": 3], ["volume": [:]], ["volume": ["level": []]]] {
            #expect(bench.command("SET_VOLUME", fields)?.reason == "INVALID_PARAMS")
        }
        bench.play(["media": PlayerBench.media("b")])
        #expect(bench.statuses.last?.volume?.isMuted == true)
    }

    @Test func someRequestsAreOnlyAcknowledged() {
        var bench = PlayerBench()
        for (type, fields): (String, JSONObject) in [
            ("PRECACHE", ["precacheData": "x"]), ("SET_CREDENTIALS", ["credentials": "x"]), ("DISPLAY_STATUS", [:]),
            ("FOCUS_STATE", ["state": "IN_FOCUS"]), ("CUSTOM_COMMAND", ["data": 1]),
            ("SHOW_REMOTE_CONTROL_OVERLAY", [:]), ("REFRESH_CREDENTIALS", [:]), ("CLOUD_STATUS", ["status": 0]),
            ("PLAY_STRING", ["stringId": "WELCOME", "arguments": ["a"]]), ("EXECUTE_ACTION_SCRIPT", ["data": "x"]),
        ] {
            #expect(bench.send(type, fields)?.type == "MEDIA_STATUS")
            #expect(bench.broadcasts.isEmpty)
        }
        #expect(bench.send("FOCUS_STATE", ["state": "X"])?.reason == "INVALID_PARAMS")
        for fields: JSONObject in [
            [:], ["stringId": ""], ["stringId": "x", "arguments": "a"], ["stringId": "x", "arguments": [1]],
        ] {
            #expect(bench.send("PLAY_STRING", fields)?.reason == "INVALID_PARAMS")
        }
    }

    @Test func userActionsAreKept() {
        var bench = self.bench()
        #expect(
            bench.command("USER_ACTION", ["userAction": "LIKE"])?.status?.media?.userActionStates?.map(\.userAction)
                == [.like])
        let disliked = bench.command("USER_ACTION", ["userAction": "DISLIKE"])?.status?.media
        #expect(disliked?.userActionStates?.map(\.userAction) == [.dislike])
        let cleared = bench.command("USER_ACTION", ["userAction": "DISLIKE", "clear": true])?.status?.media
        #expect(cleared?.userActionStates?.isEmpty == true)
        #expect(bench.command("USER_ACTION", ["userAction": "DANCE"])?.reason == "INVALID_PARAMS")
        #expect(bench.command("USER_ACTION", ["userAction": "SKIP_AD"])?.type == "INVALID_PLAYER_STATE")
    }

    @Test(arguments: [0, -1, .null, "x", 1e300] as [JSONValue])
    func oddDurationsAreNoTrouble(_ duration: JSONValue) {
        var bench = self.bench(duration: duration)
        bench.pass(1)
        #expect(bench.status()?.currentTime == 1)
        bench.command("SEEK", ["currentTime": 1e299])
        bench.pass(0.1)
        #expect(bench.states.first == "PLAYING")
    }

    @Test func picturesHaveNoEnd() {
        var bench = PlayerBench()
        bench.play(["media": ["contentId": "http://h/a.jpg", "contentType": "image/jpeg"]])
        #expect(bench.statuses.last?.media?.mediaCategory == .image)
        #expect(bench.statuses.last?.media?.duration == nil)
        #expect(bench.statuses.last?.supportedMediaCommands.contains(.seek) == false)
        #expect(bench.player.nextDeadline == nil)
    }

    @Test func broadcastsStaySmall() throws {
        var bench = PlayerBench()
        let long = JSONValue.string(String(repeating: "x", count: 4000))
        bench.play(["media": PlayerBench.media("a", ["metadata": ["title": "T", "x": long], "customData": long])])
        for message in bench.broadcasts { #expect(JSONValue.object(message).textLength < 10_000) }
        let status = try #require(bench.statuses.last)
        #expect(status.items == nil && status.media?.metadata?.title == "T")
        #expect(bench.status()?.items?.count == 1)
        let vlc = bench.send("GET_STATUS", from: "sender-vlc-7")
        #expect(bench.replies(to: "sender-vlc-7").count == 1 && vlc?.status?.items == nil)
    }

    @Test func noStatusOutgrowsAFrame() {
        var bench = PlayerBench()
        let long = JSONValue.string(String(repeating: "x", count: 58_000))
        bench.play(["media": PlayerBench.media("a", ["metadata": ["x": long]])])
        #expect(bench.status()?.media?.contentID == "a")
        bench.play(["media": ["contentId": long]])
        #expect(bench.statuses.last?.playerState == .playing)
        for message in bench.broadcasts + bench.replies() { #expect(JSONValue.object(message).textLength < 65_000) }
    }
}
