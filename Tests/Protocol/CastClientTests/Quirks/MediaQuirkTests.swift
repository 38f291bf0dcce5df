import CastWire
import Testing

@testable import CastClient

/// What receivers were seen to do in the media namespace (protocol notes, 9), replayed; the numbers are the notes'.
@Suite struct MediaQuirkTests {
    /// 3: a member of a group that plays tells of no media.
    @Test func anEmptyStatusOfAGroupMemberMeansNothingLoaded() {
        var bench = MediaBench()
        bench.attach(MediaBench.app("531A4F84"))
        bench.answer(["type": "MEDIA_STATUS", "status": []])
        #expect(bench.snapshot.playerState == .unknown)
        #expect(bench.snapshot.isAvailable)
        let ticket = bench.perform(.pause())
        #expect(bench.error(of: ticket)?.code == .noMediaSession)
    }

    /// 5: groups answer a command with the state before it, and push the new one later.
    @Test func aGroupsPushCountsMoreThanItsAnswer() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.pause())
        bench.answer(["type": "MEDIA_STATUS", "status": [["mediaSessionId": 1, "playerState": "PLAYING"]]])
        #expect(bench.outcome(of: ticket)?.isCompleted == true)
        #expect(bench.snapshot.playerState == .playing)
        bench.push(["mediaSessionId": 1, "playerState": "PAUSED", "currentTime": 11])
        #expect(bench.snapshot.playerState == .paused)
    }

    /// 8 and 31: apps without the media namespace, such as a dashboard or Bluetooth, have nothing to ask.
    @Test(arguments: ["84912283", "89EA58C1"] as [AppID])
    func appsWithoutMediaAreNotAsked(_ app: AppID) {
        var bench = MediaBench.playing()
        bench.attach(MediaBench.app(app, session: "s-2", transport: "t-2", namespaces: ["urn:x-cast:com.example"]))
        #expect(bench.sent.isEmpty)
        #expect(!bench.snapshot.isAvailable)
        #expect(bench.snapshot.media == nil)
        bench.pass(60)
        #expect(bench.sent.isEmpty)
    }

    /// 11: an Android TV app goes by its own id and stands for a web app.
    @Test func anAndroidAppIsKnownByItsWebIDToo() {
        var app = MediaBench.app("com.audible.tv")
        app.universalAppID = "25456794"
        var bench = MediaBench()
        bench.attach(app)
        #expect(bench.sent.isEmpty)
        bench.pass(1)
        #expect(bench.sentTypes == ["GET_STATUS"])
    }

    /// 12: an app that was switched has another transport; the old one is silent.
    @Test func anotherTransportIsAnotherConversation() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.pause())
        bench.attach(MediaBench.app(session: "s-2", transport: "t-2"))
        #expect(bench.error(of: ticket)?.code == .networkError)
        #expect(bench.sentTypes == ["GET_STATUS"])
        #expect(bench.state.endpoint == "t-2")
    }

    /// 13: Audible rejects an early GET_STATUS.
    @Test func audibleIsAskedASecondLater() {
        var bench = MediaBench()
        bench.attach(MediaBench.app("25456794"))
        let ticket = bench.perform(.pause())
        #expect(bench.sent.isEmpty)
        bench.pass(0.999)
        #expect(bench.sent.isEmpty)
        bench.pass(0.001)
        #expect(bench.sentTypes == ["GET_STATUS"])
        bench.answer(["type": "MEDIA_STATUS", "status": [.object(MediaBench.status())]])
        #expect(bench.sentTypes == ["PAUSE"])
        #expect(bench.outcome(of: ticket) == nil)
    }

    /// 18: a stop after the end is refused, yet what was asked for is so.
    @Test(
        arguments: [
            ["type": "INVALID_REQUEST", "reason": "INVALID_MEDIA_SESSION_ID"], ["type": "INVALID_PLAYER_STATE"],
        ] as [JSONObject])
    func stoppingWhatHasEndedSucceeds(_ refusal: JSONObject) {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.stop())
        bench.answer(refusal)
        #expect(bench.outcome(of: ticket)?.isCompleted == true)
        #expect(bench.sent.isEmpty)
        bench.push(nil)
        let again = bench.perform(.stop())
        #expect(bench.outcome(of: again)?.isCompleted == true)
        #expect(bench.sent.isEmpty)
    }

    /// 19: the end of a queue is IDLE and then nothing; the session stays, and a load has a new media session.
    @Test func afterTheEndOfAQueueTheNextLoadPlays() {
        var bench = MediaBench.playing()
        bench.push(["mediaSessionId": 1, "playerState": "IDLE", "idleReason": "FINISHED"])
        bench.push(nil)
        #expect(bench.snapshot.isAvailable)
        let ticket = bench.perform(.load(MediaInformation(json: ["contentId": "one"])))
        bench.answer(["type": "MEDIA_STATUS", "status": [.object(MediaBench.status(["mediaSessionId": 2]))]])
        #expect(bench.outcome(of: ticket)?.isCompleted == true)
        bench.perform(.pause())
        #expect(bench.lastSent?.int("mediaSessionId") == 2)
    }

    /// 20: some televisions keep what they played after the app is gone.
    @Test func mediaIsForgottenWithTheApp() {
        var bench = MediaBench.playing()
        bench.detach()
        #expect(bench.snapshot.status == nil)
        #expect(bench.snapshot.settledState == .unknown)
        #expect(bench.statuses.last?.status == nil)
        #expect(bench.events.contains(.metadata(nil)))
        bench.push(MediaBench.status())
        #expect(bench.snapshot.status == nil)
    }

    /// 21: between two items a player is idle for a moment.
    @Test func anIdleMomentBetweenItemsIsNotSettled() {
        var bench = MediaBench.playing(["items": [["itemId": 1], ["itemId": 2]]])
        #expect(bench.snapshot.settledState == .playing)
        bench.push(["mediaSessionId": 1, "playerState": "IDLE", "idleReason": "FINISHED"])
        #expect(bench.snapshot.playerState == .idle)
        #expect(bench.snapshot.settledState == .playing)
        bench.pass(1)
        bench.push(["mediaSessionId": 1, "playerState": "BUFFERING", "currentItemId": 2])
        bench.pass(10)
        #expect(!bench.events.contains(.settled(.idle)))
        #expect(bench.snapshot.settledState == .buffering)
        bench.push(["mediaSessionId": 1, "playerState": "IDLE", "idleReason": "INTERRUPTED"])
        bench.pass(2)
        #expect(bench.events.contains(.settled(.idle)))
        #expect(bench.events.contains(.sessionEnded(1, reason: .interrupted)))
    }

    /// 21: a player that was stopped, or has nothing to follow, is idle at once.
    @Test(arguments: ["CANCELLED", "ERROR", "FINISHED"])
    func aRealEndIsSettledAtOnce(_ reason: String) {
        var bench = MediaBench.playing()
        bench.push(["mediaSessionId": 1, "playerState": "IDLE", "idleReason": .string(reason)])
        #expect(bench.snapshot.settledState == .idle)
    }

    /// 22: a source that the media element rejects is LOAD_FAILED with 104.
    @Test func aRejectedSourceHasItsDetailedCode() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.load(MediaInformation(json: ["contentId": "bad"])))
        bench.answer(["type": "LOAD_FAILED", "detailedErrorCode": 104, "itemId": 1])
        #expect(bench.error(of: ticket)?.message == "the app cannot play this: MEDIA_SRC_NOT_SUPPORTED (104)")
        bench.push(["mediaSessionId": 2, "playerState": "IDLE", "idleReason": "ERROR"])
        #expect(bench.snapshot.idleReason == .error)
    }

    /// 23: runtime errors bear no number.
    @Test func anErrorWithoutANumberIsToldToAll() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.seek(to: 30))
        bench.receive(["type": "ERROR", "detailedErrorCode": 301, "itemId": 1])
        #expect(bench.outcome(of: ticket) == nil)
        guard case .error(let error)? = bench.events.first else {
            Issue.record("no error was told")
            return
        }
        #expect(error.code == .mediaError)
        #expect(error.detailedCode == .segmentNetwork)
    }

    /// 30: one load is told in a burst.
    @Test func ofABurstTheFirstAndTheLastAreTold() {
        var bench = MediaBench.playing()
        bench.pass(1)
        var told = 0
        for time in 0..<8 {
            bench.push(MediaBench.status(["currentTime": .number(time)]))
            told += bench.statuses.count
        }
        #expect(told == 1)
        #expect(bench.snapshot.status?.currentTime == 7)
        bench.pass(0.1)
        #expect(bench.statuses.map { $0.status?.currentTime } == [7])
        bench.pass(1)
        #expect(bench.statuses.isEmpty)
        var eager = MediaBench.playing(options: MediaClientOptions(statusInterval: .zero))
        eager.push(MediaBench.status())
        #expect(eager.statuses.count == 1)
    }
}
