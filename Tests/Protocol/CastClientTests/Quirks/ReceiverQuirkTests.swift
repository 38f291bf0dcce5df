import CastWire
import CastwayTestSupport
import NIOCore
import Testing

@testable import CastClient

/// What devices were seen to do beside media (protocol notes, 9), replayed; the numbers are the notes'.
@Suite struct ReceiverQuirkTests {
    /// 6: an idle device lists Backdrop, an idle screen by another name, or no app at all.
    @Test(
        arguments: [
            ["applications": [["appId": "E8C28D3C", "sessionId": "s"]]],
            ["applications": [["appId": "12345678", "isIdleScreen": true]]], ["volume": ["level": 1]],
        ] as [JSONObject])
    func anIdleDeviceRunsNothing(_ json: JSONObject) {
        let running = ReceiverStatus(json: json).applications.filter { !$0.isIdleScreen }
        #expect(running.isEmpty)
    }

    /// 7: a television says that it stands by while an app plays.
    @Test func standByDoesNotEndMedia() {
        var status = ReceiverStatus(application: MediaBench.app(), volume: ReceiverVolume(level: 1))
        status.isStandBy = true
        #expect(status.application("CC1AD845")?.transportID == "t-1")
        var bench = MediaBench()
        bench.attach(status.applications[0])
        #expect(bench.snapshot.isAvailable)
    }

    /// 10: a device that asks its user takes longer.
    @Test func aLaunchThatTheUserMustAllowGetsMoreTime() {
        let now = NIODeadline.uptimeNanoseconds(1)
        var tracker = RequestTracker<String>(counter: RequestCounter())
        let (id, _) = tracker.begin(
            "launch", in: .receiver, at: .platformReceiver, timeout: .seconds(30), now: now)
        let status = LaunchStatus(json: [
            "type": "LAUNCH_STATUS", "status": "USER_PENDING_AUTHORIZATION", "launchRequestId": id.json,
        ])
        #expect(status.state == .userPendingAuthorization)
        tracker.extend(status.launchRequestID ?? 0, to: now + .seconds(120))
        let ended = tracker.expire(at: now + .seconds(60))
        #expect(ended.isEmpty)
    }

    /// 24: devices resolve names by themselves, so an address is sent as it was given.
    @Test func anAddressIsNotRewritten() {
        var bench = MediaBench()
        bench.attach()
        bench.perform(.load(MediaInformation(json: ["contentUrl": "http://[2001:db8::1]:8080/a%20b.mp4?x=1#y"])))
        let sent = bench.lastSent.map { LoadRequest(json: $0) }
        #expect(sent?.media?.playableURL == "http://[2001:db8::1]:8080/a%20b.mp4?x=1#y")
    }

    /// 29: an app that is not there has the device's own word.
    @Test func aMissingAppIsReportedInTheDevicesWords() {
        let ruled = RequestError(reply: ["type": "LAUNCH_ERROR", "reason": "NOT_ALLOWED", "error": "not at night"])
        #expect(ruled?.message == "the device refuses: LAUNCH_ERROR, NOT_ALLOWED: not at night")
        let limited = RequestError(reply: ["type": "INVALID_REQUEST", "reason": "NOT_ALLOWED", "message": "too loud"])
        #expect(limited?.explanation == "too loud" && limited?.message.hasSuffix(": too loud") == true)
        let error = RequestError(reply: ["type": "LAUNCH_ERROR", "reason": "NOT_FOUND", "extendedError": "whitelist"])
        #expect(error?.code == .applicationNotFound)
        #expect(error?.reason == "NOT_FOUND" && error?.extendedError == "whitelist")
        #expect(error?.message == "the device refuses: LAUNCH_ERROR, NOT_FOUND, whitelist")
    }

    /// Whatever an app says, the client goes on, and what it keeps is bounded.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func nothingThatAnAppSaysDoesHarm(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bench = MediaBench(MediaClientOptions(queueCacheSize: 8))
        bench.attach()
        bench.followQueue()
        let numbers: [JSONValue] = [
            0, 1, 2, 3, -1, .number(Int.max), .number(Int.min), 1e300, "2", .null, [], [:], true, .number(0.5),
        ]
        let types = [
            "MEDIA_STATUS", "QUEUE_CHANGE", "QUEUE_ITEM_IDS", "QUEUE_ITEMS", "ERROR", "LOAD_FAILED", "INVALID_REQUEST",
            "LOAD_CANCELLED", "SESSION_STATE", "NEWS",
        ]
        let states: [JSONValue] = ["IDLE", "PLAYING", "PAUSED", "BUFFERING", "LOADING", "ODD", 5, .null]
        func number() -> JSONValue { numbers.randomElement(using: &generator) ?? 0 }
        for _ in 0..<300 {
            var item: JSONObject = ["itemId": number(), "media": ["contentId": number()]]
            if Bool.random(using: &generator) { item["media"] = number() }
            let status: JSONObject = [
                "mediaSessionId": number(), "playerState": states.randomElement(using: &generator) ?? 0,
                "currentTime": number(), "playbackRate": number(), "currentItemId": number(),
                "items": [.object(item)], "media": Bool.random(using: &generator) ? ["duration": number()] : number(),
                "liveSeekableRange": ["start": number(), "end": number(), "isMovingWindow": true],
                "breakStatus": ["breakId": "b", "currentBreakClipTime": number()], "supportedMediaCommands": number(),
                "extendedStatus": ["playerState": "LOADING", "mediaSessionId": number()],
            ]
            bench.receive([
                "type": .string(types.randomElement(using: &generator) ?? ""), "requestId": number(),
                "status": Bool.random(using: &generator) ? [.object(status)] : number(),
                "changeType": ["INSERT", "REMOVE", "UPDATE", "ITEMS_CHANGE"].randomElement(using: &generator) ?? "",
                "itemIds": [number(), .number(Int.random(in: 0..<50, using: &generator))], "insertBefore": number(),
                "sequenceNumber": number(), "items": [.object(item)], "reason": "INVALID_MEDIA_SESSION_ID",
            ])
            bench.perform([.pause(), .stop(), .seekToEnd(), .next()].randomElement(using: &generator) ?? .play())
            bench.pass(Double.random(in: 0..<3, using: &generator))
            #expect(bench.position.isFinite && (bench.position >= 0 || bench.snapshot.status?.liveSeekableRange != nil))
            #expect(bench.state.requestCount <= RequestTracker<Int>.limit)
        }
        bench.detach()
        #expect(bench.state.requestCount == 0)
    }
}
