import CastWire
import GatewayConfig
import NIOCore
import Testing

@testable import BuiltInReceiver

@Suite struct LoadTests {
    static let media: JSONObject = [
        "media": [
            "contentId": "http://h/one.mp4", "contentType": "video/mp4",
            "metadata": ["metadataType": 0, "title": "One"],
        ]
    ]

    @Test func loadGoesFromLoadingOverBufferingToPlaying() throws {
        var bench = PlayerBench()
        #expect(bench.send("LOAD", Self.media) == nil)
        #expect(bench.states == ["IDLE/LOADING"])
        let loading = try #require(bench.statuses.first)
        #expect(loading.supportedMediaCommands.rawValue == 12303)
        #expect(loading.extendedStatus?.media?.contentID == "http://h/one.mp4")
        #expect(loading.mediaSessionID == 1 && loading.currentItemID == 1 && loading.loadingItemID == 1)

        bench.pass(0.2)
        let reply = try #require(bench.replies().first)
        #expect(reply["requestId"] == 1)
        #expect(reply.status?.playerState == .buffering)
        #expect(bench.states == ["BUFFERING"])
        // The answer comes before the broadcast.
        guard case .reply? = bench.actions.first else { return #expect(Bool(false), "no answer first") }
        #expect(bench.texts == ["One"])

        bench.pass(0.1)
        #expect(bench.states == ["PLAYING"])
        #expect(bench.replies().isEmpty)
        let playing = try #require(bench.statuses.first)
        #expect(playing.supportedMediaCommands.rawValue == 274447)
        #expect(playing.currentTime == 0 && playing.playbackRate == 1)
        #expect(playing.media?.duration == 600)
        #expect(playing.media?.streamType == .buffered && playing.media?.json["streamType"] == "BUFFERED")
        #expect(playing.media?.mediaCategory == .video)
        #expect(playing.media?.metadata?.json["type"] == 0)
        #expect(playing.videoInfo?.hdrType == .standard)
        #expect(playing.items?.map(\.itemID) == [1])
        #expect(playing.loadingItemID == nil)
        #expect(playing.volume?.level == 1 && playing.volume?.isMuted == false)
    }

    /// The player is there to find the mistake of a sender that loads a file of its own disk.
    @Test(arguments: [
        "C:\\Users\\film.mp4", "d:/films/film.mp4", "/home/film.mp4", "~/film.mp4", "../film.mp4", "\\\\nas\\film.mp4",
        "file:/film.mp4",
    ])
    func aPathIsNoAddress(_ path: String) {
        for takesAddressesOnly in [true, false] {
            var bench = PlayerBench(takesAddressesOnly: takesAddressesOnly)
            bench.send("LOAD", ["media": ["contentId": .string(path), "contentType": "video/mp4"]])
            bench.pass(1)
            // Apps may call their media so.
            let answer = bench.replies().last
            #expect(answer?.string("type") == (takesAddressesOnly ? "LOAD_FAILED" : "MEDIA_STATUS"))
            #expect(answer?.int("detailedErrorCode") == (takesAddressesOnly ? 104 : nil))
        }
    }

    @Test(arguments: ["http://h/film.mp4", "//h/film.mp4", "film", "a:b", "data:video/mp4;base64,AA", "blob:x"])
    func anythingElseIsTaken(_ address: String) {
        var bench = PlayerBench(takesAddressesOnly: true)
        bench.send("LOAD", ["media": ["contentId": .string(address), "contentType": "video/mp4"]])
        bench.pass(1)
        #expect(bench.replies().last?.string("type") == "MEDIA_STATUS")
    }

    @Test func theTextFalseAsAutoplayPlays() {
        var bench = PlayerBench()
        bench.play(["media": PlayerBench.media("a"), "autoplay": "false"])
        #expect(bench.states.last == "PLAYING")
    }

    @Test func autoplayFalsePauses() throws {
        var bench = PlayerBench()
        bench.play(["media": PlayerBench.media("a"), "autoplay": false, "currentTime": 42.5])
        #expect(bench.states.last == "PAUSED")
        bench.pass(10)
        let polled = bench.status()
        let status = try #require(polled)
        #expect(status.currentTime == 42.5)
        #expect(bench.player.nextDeadline == nil)
    }

    @Test func anotherLoadInterruptsAndCancels() {
        var bench = PlayerBench()
        bench.send("LOAD", ["media": PlayerBench.media("a")])
        bench.send("LOAD", ["media": PlayerBench.media("b")], from: "sender-2")
        #expect(bench.replies().map(\.type) == ["LOAD_CANCELLED"])
        #expect(bench.replies().first?["requestId"] == 1)
        #expect(bench.states == ["IDLE/INTERRUPTED", "IDLE/LOADING"])
        #expect(bench.statuses.map(\.mediaSessionID) == [1, 2])
        bench.pass(0.3)
        #expect(bench.replies().isEmpty)
        #expect(bench.replies(to: "sender-2").map { $0["requestId"] } == [2])
        bench.send("LOAD", ["media": PlayerBench.media("c")])
        #expect(bench.states == ["IDLE/INTERRUPTED", "IDLE/LOADING"])
        #expect(bench.replies(to: "sender-2").isEmpty)
    }

    @Test func theNumberComesBackAsItWas() {
        var bench = PlayerBench(SimulationOptions { $0.loadDelay = .zero })
        for id: JSONValue in [7, "seven", "0", 1.5] {
            let reply = bench.sendRaw(["type": "LOAD", "requestId": id, "media": PlayerBench.media("a")])
            #expect(reply?["requestId"] == id)
        }
    }

    @Test func withoutANumberItActsAndOnlyBroadcasts() {
        var bench = PlayerBench()
        for id: JSONValue in [0, .null, nil] {
            bench.sendRaw(["type": "LOAD", "requestId": id, "media": PlayerBench.media("a")])
            #expect(bench.states.last == "IDLE/LOADING")
            bench.pass(0.3)
            #expect(bench.states == ["BUFFERING", "PLAYING"])
            #expect(bench.replies().isEmpty)
        }
        bench.sendRaw(["type": "GET_STATUS"])
        #expect(bench.states == ["PLAYING"])
        bench.sendRaw(["type": "NONSENSE"])
        #expect(bench.actions.isEmpty)
    }

    @Test(
        arguments: [
            [:], ["media": [:]], ["media": "x"], ["media": ["contentId": ""]],
            ["queueData": ["items": [["media": ["contentId": "a"]]], "startIndex": 1]],
            ["queueData": ["items": [["media": ["contentId": "a"]], [:]]]],
        ] as [JSONObject])
    func loadWithoutContentIsRefused(_ fields: JSONObject) {
        var bench = PlayerBench()
        let reply = bench.send("LOAD", fields)
        #expect(reply?.type == "INVALID_REQUEST" && reply?.reason == "INVALID_PARAMS")
        #expect(!bench.player.isActive)
    }

    @Test func onlyAnAddressOrAnEntityIsEnough() {
        var bench = PlayerBench()
        bench.play(["media": ["contentUrl": "http://h/a.mp3"]])
        #expect(bench.statuses.last?.media?.json["contentId"] == "http://h/a.mp3")
        #expect(bench.statuses.last?.media?.mediaCategory == .audio)
        #expect(bench.statuses.last?.videoInfo == nil)
        bench.send("LOAD_BY_ENTITY", ["entity": "app://show/1"])
        bench.pass(0.3)
        #expect(bench.statuses.last?.media?.entity == "app://show/1")
        #expect(bench.send("LOAD_BY_ENTITY")?.reason == "INVALID_PARAMS")
    }

    @Test func configuredFailuresFailTheLoad() {
        var bench = PlayerBench(
            SimulationOptions {
                $0.failures = [
                    SimulatedFailure(match: Glob("*fail*")) {
                        $0.reason = "APP_ERROR"
                        $0.detailedErrorCode = 301
                        $0.after = .seconds(2)
                    }
                ]
            })
        bench.send("LOAD", ["media": PlayerBench.media("http://h/fail.mp4")])
        bench.pass(1.9)
        #expect(bench.actions.isEmpty)
        bench.pass(0.1)
        let reply = bench.replies().first
        #expect(reply?.type == "LOAD_FAILED" && reply?["requestId"] == 1)
        #expect(reply?["itemId"] == 1 && reply?["detailedErrorCode"] == 301 && reply?.reason == "APP_ERROR")
        #expect(bench.states == ["IDLE/ERROR"])
        #expect(bench.statuses.first?.media == nil)
        #expect(bench.broadcasts.count == 1)
        #expect(!bench.player.isActive)
    }

    @Test func playbackFailuresCarryNoNumber() {
        var bench = PlayerBench(
            SimulationOptions {
                $0.failures = [
                    SimulatedFailure(match: Glob("a")) {
                        $0.detailedErrorCode = 102
                        $0.stage = .playback
                        $0.after = .seconds(5)
                    }
                ]
            })
        bench.play(["media": PlayerBench.media("a", ["metadata": ["title": "A"]])])
        #expect(bench.states == ["BUFFERING", "PLAYING"])
        bench.pass(5)
        #expect(bench.broadcasts.first?.type == "ERROR")
        #expect(bench.broadcasts.first?["requestId"] == nil && bench.broadcasts.first?["detailedErrorCode"] == 102)
        #expect(bench.states == ["IDLE/ERROR"])
        #expect(bench.texts == [""])
    }

    @Test(arguments: ["rtsp://h/a", "file:///a.mp4"])
    func addressesThatNoDeviceFetchesFail(_ address: String) {
        var bench = PlayerBench()
        bench.send("LOAD", ["media": PlayerBench.media(address)])
        bench.pass(0.2)
        #expect(bench.replies().first?["detailedErrorCode"] == 104)
    }

    @Test func aQueueThatIsTooLongIsRefused() {
        var bench = PlayerBench()
        let items = JSONValue.array((0...1000).map { .object(PlayerBench.item("\($0)")) })
        #expect(bench.send("QUEUE_LOAD", ["items": items])?.reason == "INVALID_PARAMS")
        #expect(bench.send("LOAD", ["queueData": ["items": items]])?.reason == "INVALID_PARAMS")
        let long = JSONObject([("x", .string(String(repeating: "x", count: 600_000)))])
        let heavy = JSONValue.array((0..<2).map { .object(PlayerBench.item("\($0)", long)) })
        #expect(bench.send("QUEUE_LOAD", ["items": heavy])?.reason == "INVALID_PARAMS")
    }

    @Test func loadWithQueueDataStartsAtItsItem() throws {
        var bench = PlayerBench()
        let items = JSONValue.array((1...3).map { .object(PlayerBench.item("i\($0)", ["startTime": 5])) })
        bench.play(["queueData": ["items": items, "startIndex": 1, "repeatMode": "REPEAT_ALL", "name": "Q"]])
        let status = try #require(bench.statuses.last)
        #expect(status.currentItemID == 2 && status.currentTime == 5 && status.repeatMode == .all)
        #expect(status.queueData?.name == "Q" && status.queueData?.items == nil)
        #expect(status.items?.map(\.itemID) == [1, 2, 3])
    }

    @Test func itemAndSessionIDsGrow() {
        var bench = PlayerBench()
        bench.playQueue(3)
        bench.play(["media": PlayerBench.media("a")])
        #expect(bench.statuses.last?.mediaSessionID == 2)
        #expect(bench.statuses.last?.currentItemID == 4)
    }

    @Test func aNewSenderHearsWhatPlays() {
        var bench = PlayerBench()
        #expect(bench.player.statusForNewSender(at: bench.now) == nil)
        bench.play(["media": PlayerBench.media("a")])
        let message = bench.player.statusForNewSender(at: bench.now)
        #expect(message?["requestId"] == 0 && message?.status?.playerState == .playing)
        #expect(message?.status?.media != nil)
    }

    @Test func lateTimersChangeNothing() {
        var late = PlayerBench()
        late.send("LOAD", Self.media)
        late.pass(50)
        #expect(late.states == ["BUFFERING", "PLAYING"])
        #expect(late.status()?.currentTime == 49.7)
        late.pass(0)
        #expect(late.actions.isEmpty)
    }

    @Test func playAgainPlaysTheLastMedia() {
        var bench = PlayerBench()
        #expect(bench.send("PLAY_AGAIN")?.type == "INVALID_PLAYER_STATE")
        bench.play(["media": PlayerBench.media("a", ["duration": 5])])
        bench.pass(5)
        #expect(bench.states == ["IDLE/FINISHED"])
        bench.send("PLAY_AGAIN")
        bench.pass(0.3)
        #expect(bench.states == ["BUFFERING", "PLAYING"])
        #expect(bench.replies().count == 1)
        bench.pass(2)
        #expect(bench.command("PLAY_AGAIN")?.status?.playerState == .idle)
        bench.pass(0.3)
        #expect(bench.status()?.currentTime == 0)
    }
}
