import CastWire
import Testing

@testable import CastClient

@Suite struct AnnouncementTests {
    private static let announcement = LoadRequest(json: ["media": ["contentId": "bell"]])

    private static func snapshot(_ status: JSONObject = [:], queue: [Int]? = nil) -> PlaybackSnapshot {
        let bench = MediaBench.playing(status)
        var known = MediaQueue()
        if let queue { _ = known.received(ids: queue, sequenceNumber: nil) }
        return PlaybackSnapshot(
            bench.snapshot, queue: known, volume: ReceiverVolume(level: 0.25), at: bench.now)
    }

    private static func result(_ action: AnnouncementStateMachine.Action) -> AnnouncementResult? {
        if case .finish(let result) = action { result } else { nil }
    }

    @Test func whatPlayedGoesOnAsLoudAsItWas() {
        var machine = AnnouncementStateMachine(Self.announcement, level: 0.5, over: Self.snapshot())
        let louder = machine.begin()
        #expect(louder == .setVolume(ReceiverVolume(level: 0.5)))
        let load = machine.volumeSet(nil)
        #expect(load == .load(Self.announcement))
        let wait = machine.loaded(nil)
        #expect(wait == .awaitEnd)
        let quieter = machine.ended(.played)
        #expect(quieter == .setVolume(ReceiverVolume(level: 0.25)))
        guard case .load(let again) = machine.volumeSet(nil) else {
            Issue.record("nothing is restored")
            return
        }
        #expect(again.media?.contentID == "one" && again.currentTime == 10 && again.autoplay == true)
        let end = Self.result(machine.loaded(nil))
        #expect(end?.end == .played && end?.isVolumeRestored == true && end?.isMediaRestored == true)
        #expect(end?.limits == [] && end?.failures == [])
    }

    @Test func whatFailsIsSaidAndTheRestRestored() {
        var machine = AnnouncementStateMachine(Self.announcement, level: 0.5, over: Self.snapshot())
        _ = machine.begin()
        _ = machine.volumeSet("fixed")
        // A load that failed has ended what played.
        guard case .load = machine.loaded("no such file") else {
            Issue.record("nothing is restored")
            return
        }
        let end = Self.result(machine.loaded("gone"))
        #expect(end?.end == .failed && end?.isMediaRestored == false)
        #expect(end?.failures == ["volume: fixed", "announcement: no such file", "restoring: gone"])
    }

    @Test func whoeverTookOverIsLeftAlone() {
        var machine = AnnouncementStateMachine(Self.announcement, level: 0.5, over: Self.snapshot())
        _ = machine.begin()
        _ = machine.volumeSet(nil)
        _ = machine.loaded(nil)
        let quieter = machine.ended(.takenOver)
        #expect(quieter == .setVolume(ReceiverVolume(level: 0.25)))
        let end = Self.result(machine.volumeSet(nil))
        #expect(end?.end == .takenOver && end?.isMediaRestored == false)
    }

    @Test func whatIsCutOffIsStoppedWhereNothingTakesItsPlace() {
        var machine = AnnouncementStateMachine(
            Self.announcement, level: 0.5, over: Self.snapshot(["playerState": "IDLE"]))
        _ = machine.begin()
        _ = machine.volumeSet(nil)
        _ = machine.loaded(nil)
        let quieter = machine.ended(.cutOff)
        #expect(quieter == .setVolume(ReceiverVolume(level: 0.25)))
        let stop = machine.volumeSet(nil)
        #expect(stop == .stop)
        let end = Self.result(machine.stopped("gone"))
        #expect(end?.end == .cutOff && end?.failures == ["stopping: gone"])
        var over = AnnouncementStateMachine(Self.announcement, level: nil, over: Self.snapshot())
        _ = over.begin()
        _ = over.loaded(nil)
        guard case .load = over.ended(.cutOff) else {
            Issue.record("what played does not take its place")
            return
        }
    }

    @Test func withoutALevelTheVolumeStays() {
        var machine = AnnouncementStateMachine(Self.announcement, level: nil, over: Self.snapshot())
        let load = machine.begin()
        #expect(load == .load(Self.announcement))
    }

    @Test(
        arguments: [
            (["items": [["itemId": 1], ["itemId": 2]]], nil, [.queueIncomplete]),
            (["items": [["itemId": 1], ["itemId": 2]]], [1, 2], []),
            (["items": [["itemId": 1], ["itemId": 2]]], [1, 2, 3], [.queueIncomplete]),
            (["repeatMode": "REPEAT_ALL_AND_SHUFFLE"], nil, [.shuffleOrderLost]),
            (["media": ["contentId": "x", "streamType": "LIVE"]], nil, [.liveStreamMovedOn]),
            (["media": ["contentId": "x", "customData": ["token": 1]]], nil, [.appDataMayBeStale]),
            (["breakStatus": ["breakId": "b"]], nil, [.breakLost]), (["media": .null], nil, [.mediaUnknown]),
            (["playerState": "IDLE"], nil, [.nothingPlayed]),
        ] as [(JSONObject, [Int]?, [PlaybackSnapshot.Limit])])
    func limitsAreTold(_ status: JSONObject, _ queue: [Int]?, _ limits: [PlaybackSnapshot.Limit]) {
        #expect(Self.snapshot(status, queue: queue).limits == limits)
    }

    @Test func anAppWithoutMediaCannotBeBroughtBack() {
        var bench = MediaBench()
        bench.attach(MediaBench.app(namespaces: ["urn:x-cast:com.example"]))
        let snapshot = PlaybackSnapshot(bench.snapshot, queue: MediaQueue(), volume: nil, at: bench.now)
        #expect(snapshot.limits == [.appWithoutMedia])
        #expect(snapshot.state == nil)
    }
}
