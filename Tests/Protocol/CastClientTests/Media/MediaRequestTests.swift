import CastWire
import NIOCore
import Testing

@testable import CastClient

@Suite struct MediaRequestTests {
    private static let load = MediaCommand.load(MediaInformation(json: ["contentId": "two"]))

    @Test func anAppThatAppearsIsAskedForItsStatus() {
        var bench = MediaBench()
        bench.attach()
        #expect(bench.events == [.availability(true)])
        #expect(bench.sentTypes == ["GET_STATUS"])
        bench.answer(["type": "MEDIA_STATUS", "status": [.object(MediaBench.status())]])
        #expect(bench.events.contains(.sessionStarted(1)))
        #expect(bench.statuses.count == 1)
    }

    @Test func withoutAnAppOrItsMediaCommandsFail() {
        var bench = MediaBench()
        let early = bench.perform(.play())
        #expect(bench.error(of: early)?.code == .applicationNotRunning)
        bench.attach(MediaBench.app(namespaces: ["urn:x-cast:com.example.echo"]))
        #expect(bench.events == [.availability(false)])
        #expect(bench.sent.isEmpty)
        let ticket = bench.perform(Self.load)
        #expect(bench.error(of: ticket)?.code == .unsupportedFeature)
    }

    /// An app that quits may have carried out what it was sent.
    @Test func whatAnAppWasSentThatQuitsMayHaveBeenDone() {
        var bench = MediaBench()
        bench.attach()
        let pause = bench.perform(.pause())
        let load = bench.perform(Self.load)
        bench.detach()
        #expect(bench.error(of: pause)?.code == .applicationNotRunning)
        #expect(bench.error(of: load)?.code == .disconnected)
    }

    @Test func commandsWaitForTheFirstStatus() {
        var bench = MediaBench()
        bench.attach()
        let greeting = bench.lastSent?["requestId"] ?? .null
        let pause = bench.perform(.pause())
        #expect(bench.actions.isEmpty)
        let load = bench.perform(Self.load)
        #expect(bench.sentTypes == ["LOAD"])
        bench.receive(["type": "MEDIA_STATUS", "requestId": greeting, "status": [.object(MediaBench.status())]])
        #expect(bench.sentTypes == ["PAUSE"])
        #expect(bench.outcome(of: pause) == nil && bench.outcome(of: load) == nil)
    }

    @Test func anAppThatTellsNothingIsGivenUp() {
        var bench = MediaBench()
        bench.attach()
        let ticket = bench.perform(.pause())
        bench.pass(9)
        #expect(bench.outcome(of: ticket) == nil)
        bench.pass(1)
        #expect(bench.error(of: ticket)?.code == .noMediaSession)
    }

    @Test func anAnswerCompletesItsCommand() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.pause())
        bench.answer(["type": "MEDIA_STATUS", "status": [["mediaSessionId": 1, "playerState": "PAUSED"]]])
        #expect(bench.outcome(of: ticket)?.isCompleted == true)
        #expect(bench.snapshot.playerState == .paused)
    }

    @Test func silenceTimesOut() {
        var bench = MediaBench.playing()
        let pause = bench.perform(.pause())
        bench.pass(10)
        #expect(bench.outcome(of: pause) == .timedOut)
        let quick = bench.perform(MediaCommand.play().with(timeout: .seconds(1)))
        bench.pass(1)
        #expect(bench.outcome(of: quick) == .timedOut)
    }

    @Test func aLoadMayTakeItsTimeAndFailLate() {
        var bench = MediaBench.playing()
        let load = bench.perform(Self.load)
        let id = bench.lastSent?["requestId"] ?? .null
        bench.pass(59)
        #expect(bench.outcome(of: load) == nil)
        bench.receive(["type": "LOAD_FAILED", "requestId": id, "detailedErrorCode": 104, "itemId": 1])
        #expect(bench.error(of: load)?.code == .mediaLoadFailed)
        #expect(bench.error(of: load)?.detailedCode == .mediaSourceNotSupported)
        // When no request waits for it any more, it is told as an error.
        bench.receive(["type": "LOAD_FAILED", "requestId": id, "detailedErrorCode": 104])
        #expect(
            bench.events.contains { if case .error(let error) = $0 { error.code == .mediaLoadFailed } else { false } })
    }

    @Test func aLoadThatEndsIdleWithAnErrorFailed() {
        var bench = MediaBench.playing()
        let load = bench.perform(Self.load)
        bench.answer([
            "type": "MEDIA_STATUS",
            "status": [["mediaSessionId": 2, "playerState": "IDLE", "idleReason": "ERROR"]],
        ])
        #expect(bench.error(of: load)?.code == .mediaLoadFailed)
    }

    @Test func aLoadIsCompleteWhenItPlaysWithoutSayingSo() {
        var bench = MediaBench.playing()
        let load = bench.perform(Self.load)
        bench.push(MediaBench.status())
        #expect(bench.outcome(of: load) == nil)
        bench.push(["mediaSessionId": 2, "playerState": "BUFFERING", "media": ["contentId": "two"]])
        #expect(bench.outcome(of: load) == nil)
        bench.push(["mediaSessionId": 2, "playerState": "PLAYING"])
        #expect(bench.outcome(of: load)?.isCompleted == true)
    }

    @Test func theNewestLoadSeekAndVolumeCount() {
        var bench = MediaBench.playing()
        let first = bench.perform(Self.load)
        bench.perform(Self.load)
        #expect(bench.outcome(of: first) == .aborted(.replaced))
        let seek = bench.perform(.seek(to: 5))
        bench.perform(.play(at: 6))
        #expect(bench.outcome(of: seek) == .aborted(.replaced))
        let volume = bench.perform(.setStreamVolume(0.5))
        bench.perform(.setStreamVolume(0.6))
        #expect(bench.outcome(of: volume) == .aborted(.replaced))
        let play = bench.perform(.play())
        bench.perform(.play())
        #expect(bench.outcome(of: play) == nil)
        bench.perform(.loadQueue([QueueItem(json: ["media": ["contentId": "x"]])]))
        #expect(bench.actions.contains { if case .finish(_, .aborted(.replaced)) = $0 { true } else { false } })
    }

    @Test func aCancelledLoadByAnotherSenderWasReplaced() {
        var bench = MediaBench.playing()
        let load = bench.perform(Self.load)
        bench.answer(["type": "LOAD_CANCELLED"])
        #expect(bench.outcome(of: load) == .aborted(.replaced))
    }

    @Test func cancellingStopsTheWaitAlone() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.pause())
        bench.cancel(ticket)
        #expect(bench.outcome(of: ticket) == .aborted(.cancelled))
        bench.answer(["type": "MEDIA_STATUS", "status": [["mediaSessionId": 1, "playerState": "PAUSED"]]])
        #expect(bench.snapshot.playerState == .paused)
        var waiting = MediaBench()
        waiting.attach()
        let early = waiting.perform(.pause())
        waiting.cancel(early)
        #expect(waiting.outcome(of: early) == .aborted(.cancelled))
    }

    @Test func aStaleMediaSessionIsRefreshedAndTriedOnceMore() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.pause())
        bench.answer(["type": "INVALID_REQUEST", "reason": "INVALID_MEDIA_SESSION_ID"])
        #expect(bench.sentTypes == ["GET_STATUS"])
        bench.answer(["type": "MEDIA_STATUS", "status": [.object(MediaBench.status(["mediaSessionId": 2]))]])
        #expect(bench.sentTypes == ["PAUSE"])
        #expect(bench.lastSent?.int("mediaSessionId") == 2)
        bench.answer(["type": "INVALID_REQUEST", "reason": "INVALID_MEDIA_SESSION_ID"])
        #expect(bench.sent.isEmpty)
        #expect(bench.error(of: ticket)?.code == .noMediaSession)
    }

    @Test func aStaleMediaSessionThatIsOverIsNotTriedAgain() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.pause())
        bench.answer(["type": "INVALID_REQUEST", "reason": "INVALID_MEDIA_SESSION_ID"])
        bench.answer(["type": "MEDIA_STATUS", "status": []])
        #expect(bench.sent.isEmpty)
        #expect(bench.error(of: ticket)?.code == .noMediaSession)
    }

    @Test func aGapFailsWhatWaitsAndKeepsWhatIsKnown() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.pause())
        bench.suspend()
        #expect(bench.error(of: ticket)?.code == .networkError)
        #expect(bench.snapshot.media?.contentID == "one")
        let during = bench.perform(.pause())
        #expect(bench.error(of: during)?.code == .channelNotConnected)
        bench.pass(20)
        bench.attach()
        #expect(bench.sentTypes == ["GET_STATUS"])
        #expect(bench.snapshot.media?.contentID == "one")
        #expect(!bench.events.contains { if case .sessionEnded = $0 { true } else { false } })
        bench.answer([
            "type": "MEDIA_STATUS", "status": [["mediaSessionId": 1, "playerState": "PLAYING", "currentTime": 31]],
        ])
        #expect(bench.snapshot.media?.contentID == "one")
        #expect(bench.position == 31)
    }

    @Test func anotherAppSessionStartsAfresh() {
        var bench = MediaBench.playing()
        bench.suspend()
        bench.attach(MediaBench.app(session: "s-2", transport: "t-2"))
        #expect(bench.snapshot.media == nil)
        #expect(bench.events.contains(.sessionEnded(1, reason: nil)))
        #expect(bench.snapshot.lastKnown?.media?.contentID == "one")
    }

    @Test func messagesOfOtherTypesAreHandedOn() {
        var bench = MediaBench.playing()
        let message: JSONObject = ["type": "CLOUD_STATUS", "requestId": 0, "x": 1]
        bench.receive(message)
        #expect(bench.events == [.message(message)])
        bench.receive(["type": "INVALID_REQUEST", "requestId": 99])
        #expect(bench.events.isEmpty)
    }

    @Test func whatDoesNotFitIsNotSent() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.precache(String(repeating: "a", count: 65_000)))
        #expect(bench.error(of: ticket)?.code == .messageTooBig)
    }

    @Test func tooManyRequestsAreRefused() {
        var bench = MediaBench.playing()
        for _ in 0..<RequestTracker<Int>.limit { bench.perform(.play()) }
        let ticket = bench.perform(.play())
        #expect(bench.error(of: ticket)?.code == .sendBufferFull)
        var waiting = MediaBench()
        waiting.attach()
        for _ in 0..<64 { waiting.perform(.play()) }
        let last = waiting.perform(.play())
        #expect(waiting.error(of: last)?.code == .sendBufferFull)
    }
}
