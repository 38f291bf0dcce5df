import CastWire
import NIOCore
import Testing

@testable import CastClient

@Suite struct MediaStatusTests {
    @Test func whatIsLeftOutStays() {
        var bench = MediaBench.playing(["volume": ["level": 0.5, "muted": false], "repeatMode": "REPEAT_ALL"])
        bench.push(["mediaSessionId": 1, "playerState": "PAUSED", "currentTime": 12])
        #expect(bench.snapshot.playerState == .paused)
        #expect(bench.snapshot.media?.contentID == "one")
        #expect(bench.snapshot.streamVolume?.level == 0.5)
        #expect(bench.snapshot.repeatMode == .all)
        #expect(bench.snapshot.supports([.pause, .seek]))
        #expect(bench.position == 12)
    }

    @Test func momentaryFieldsGoWhenAbsent() {
        var bench = MediaBench.playing(["preloadedItemId": 2, "breakStatus": ["breakId": "b"], "customData": 1])
        #expect(bench.snapshot.preloadedItemID == 2)
        bench.push(["mediaSessionId": 1, "playerState": "IDLE", "idleReason": "FINISHED"])
        #expect(bench.snapshot.idleReason == .finished)
        #expect(bench.snapshot.preloadedItemID == nil)
        #expect(bench.snapshot.status?.breakStatus == nil)
        #expect(bench.snapshot.status?.customData == nil)
        bench.push(["mediaSessionId": 1, "playerState": "PLAYING"])
        #expect(bench.snapshot.status?.idleReason == nil)
    }

    /// Whatever an app says, what is kept of it does not grow.
    @Test func whatIsNotKnownIsNotKept() {
        var bench = MediaBench.playing()
        for number in 0..<500 {
            bench.push(["mediaSessionId": 1, "playerState": "PLAYING", "x\(number)": .number(number)])
        }
        #expect(bench.snapshot.status?.json["x499"] == 499)
        #expect(bench.snapshot.status?.json["x498"] == nil)
        #expect(bench.snapshot.media?.contentID == "one")
        #expect(bench.snapshot.status?.json.members.count ?? 0 < 20)
        let many = (0..<5000).map { ("y\($0)", JSONValue.number($0)) }
        bench.push(JSONObject([("mediaSessionId", 1), ("playerState", "PAUSED")] + many))
        #expect(bench.snapshot.playerState == .paused)
        #expect(bench.snapshot.status?.json.members.count ?? 0 < 100)
    }

    @Test func whatBelongsToAMediumGoesWithIt() {
        var bench = MediaBench.playing([
            "videoInfo": ["width": 3840, "height": 2160, "hdrType": "dv"], "activeTrackIds": [1],
        ])
        #expect(bench.snapshot.videoInfo?.isUltraHD == true)
        #expect(bench.snapshot.videoInfo?.hdrType == .dolbyVision)
        bench.push(MediaBench.status(["media": ["contentId": "two"]]))
        #expect(bench.snapshot.videoInfo == nil)
        #expect(bench.snapshot.activeTrackIDs.isEmpty)
    }

    @Test func anotherMediaSessionStartsAfresh() {
        var bench = MediaBench.playing(["repeatMode": "REPEAT_ALL"])
        bench.push(["mediaSessionId": 2, "playerState": "BUFFERING", "media": ["contentId": "two"]])
        #expect(bench.snapshot.repeatMode == nil)
        #expect(bench.snapshot.media?.contentID == "two")
        #expect(bench.events.contains(.sessionStarted(2)))
        #expect(bench.events.contains(.sessionEnded(1, reason: .interrupted)))
        // What still comes about the old session is no news.
        bench.push(["mediaSessionId": 1, "playerState": "IDLE", "idleReason": "INTERRUPTED"])
        #expect(bench.snapshot.mediaSessionID == 2)
        #expect(bench.snapshot.playerState == .buffering)
    }

    @Test func loadingIsAStateOfItsOwn() {
        var bench = MediaBench()
        #expect(bench.snapshot.playerState == .unknown)
        bench.attach()
        bench.answer([
            "type": "MEDIA_STATUS",
            "status": [
                [
                    "mediaSessionId": 3, "playerState": "IDLE",
                    "extendedStatus": [
                        "playerState": "LOADING", "mediaSessionId": 3, "media": ["contentId": "late"],
                    ],
                ]
            ],
        ])
        #expect(bench.snapshot.playerState == .loading)
        #expect(bench.snapshot.media?.contentID == "late")
        // The medium is known from before when the next status leaves it out.
        bench.push(["mediaSessionId": 3, "playerState": "PLAYING", "currentTime": 0])
        #expect(bench.snapshot.media?.contentID == "late")
        bench.push(nil)
        #expect(bench.snapshot.playerState == .unknown)
        #expect(bench.snapshot.media == nil)
        #expect(bench.events.contains(.metadata(nil)))
    }

    @Test func thePositionRunsWithTheRate() {
        var bench = MediaBench.playing(["playbackRate": 1.5])
        bench.pass(4)
        #expect(bench.position == 16)
        #expect(bench.snapshot.timeSinceUpdate(at: bench.now) == 4)
        bench.pass(10_000)
        #expect(bench.position == 600)
        bench.push(["mediaSessionId": 1, "playerState": "PAUSED", "currentTime": 20])
        bench.pass(4)
        #expect(bench.position == 20)
        bench.push(["mediaSessionId": 1, "playerState": "BUFFERING", "currentTime": -1])
        #expect(bench.position == 0)
    }

    @Test func aMovingWindowMovesWithThePosition() {
        let range: JSONValue = ["start": 100, "end": 160, "isMovingWindow": true, "isLiveDone": false]
        var bench = MediaBench.playing([
            "media": ["contentId": "live", "streamType": "LIVE"], "currentTime": 150, "liveSeekableRange": range,
        ])
        #expect(bench.snapshot.isLive)
        bench.pass(20)
        #expect(bench.position == 170)
        #expect(bench.snapshot.liveSeekableRange(at: bench.now)?.start == 120)
        #expect(bench.snapshot.liveSeekableRange(at: bench.now)?.end == 180)
        #expect(bench.snapshot.behindLiveEdge(at: bench.now) == 10)
        bench.push(["mediaSessionId": 1, "playerState": "PAUSED", "currentTime": 170])
        bench.pass(100)
        // A paused viewer is overtaken by the window's start; a status without a window tells nothing of it.
        #expect(bench.position == 220)
    }

    @Test func aLiveStreamThatIsDoneStands() {
        var bench = MediaBench.playing([
            "media": ["contentId": "live", "streamType": "LIVE"], "currentTime": 150,
            "liveSeekableRange": ["start": 0, "end": 160, "isLiveDone": true],
        ])
        bench.pass(60)
        #expect(!bench.snapshot.isLive)
        #expect(bench.position == 160)
        #expect(bench.snapshot.liveSeekableRange(at: bench.now)?.end == 160)
    }

    @Test func aGrowingLiveStreamKeepsItsStart() {
        var bench = MediaBench.playing([
            "media": ["contentId": "live", "streamType": "LIVE"], "currentTime": 5,
            "liveSeekableRange": ["start": 0, "end": 10, "isMovingWindow": false],
        ])
        bench.pass(10)
        #expect(bench.snapshot.liveSeekableRange(at: bench.now)?.start == 0)
        #expect(bench.snapshot.liveSeekableRange(at: bench.now)?.end == 20)
    }

    @Test func theMediumStandsDuringABreak() {
        var bench = MediaBench.playing([
            "media": [
                "contentId": "one", "duration": 600,
                "breakClips": [["id": "c", "duration": 20, "whenSkippable": 5]],
            ],
            "breakStatus": ["breakId": "b", "breakClipId": "c", "currentBreakTime": 1, "currentBreakClipTime": 1],
        ])
        #expect(bench.snapshot.currentBreakClip?.id == "c")
        #expect(!bench.snapshot.canSkipAd(at: bench.now))
        bench.pass(4)
        #expect(bench.position == 10)
        #expect(bench.snapshot.breakClipPosition(at: bench.now) == 5)
        #expect(bench.snapshot.canSkipAd(at: bench.now))
        bench.pass(100)
        #expect(bench.snapshot.breakClipPosition(at: bench.now) == 20)
    }

    @Test func howItEndedIsKept() {
        var bench = MediaBench.playing()
        bench.pass(5)
        bench.push(["mediaSessionId": 1, "playerState": "IDLE", "idleReason": "FINISHED", "currentTime": 0])
        bench.push(nil)
        bench.detach()
        let last = bench.snapshot.lastKnown
        #expect(last?.position == 15)
        #expect(last?.playerState == .playing)
        #expect(last?.media?.contentID == "one")
        #expect(last?.idleReason == .finished)
        #expect(bench.snapshot.status == nil)
    }

    @Test func metadataAndPreloadAreToldWhenTheyChange() {
        var bench = MediaBench.playing()
        bench.push(MediaBench.status())
        #expect(!bench.events.contains { if case .metadata = $0 { true } else { false } })
        bench.push(
            MediaBench.status(["media": ["contentId": "one", "metadata": ["title": "T"]], "preloadedItemId": 2]))
        #expect(
            bench.events.contains { if case .metadata(let media) = $0 { media?.metadata?.title == "T" } else { false } }
        )
        #expect(bench.events.contains(.preload(itemID: 2)))
    }

    @Test func aStatusWithoutMetadataTakesNoneAway() {
        var bench = MediaBench.playing([
            "media": ["contentId": "one", "metadata": ["title": "T"]], "items": [["itemId": 1]],
        ])
        bench.perform(.refreshStatus(leavingOut: [.metadata, .queueItems]))
        #expect(bench.lastSent?.int("options") == 3)
        bench.answer(["type": "MEDIA_STATUS", "status": [.object(MediaBench.status(["media": ["contentId": "one"]]))]])
        #expect(bench.snapshot.media?.metadata?.title == "T")
        #expect(bench.snapshot.nearItems.count == 1)
    }

    @Test func tracksAreFoundAndChosen() {
        let bench = MediaBench.playing([
            "activeTrackIds": ["1", 4],
            "media": [
                "contentId": "one", "textTrackStyle": ["fontScale": 1.5],
                "tracks": [
                    ["trackId": 1, "type": "AUDIO", "language": "en", "audioTrackInfo": ["numAudioChannels": 6]],
                    ["trackId": "2", "type": "AUDIO", "language": "de-AT", "roles": ["main"]],
                    ["trackId": 3, "type": "TEXT", "language": "de", "subtype": "CAPTIONS"],
                    ["trackId": 4, "type": "TEXT", "language": "en-GB"],
                ],
            ],
        ])
        let snapshot = bench.snapshot
        #expect(snapshot.activeTrackIDs == [1, 4])
        #expect(snapshot.activeTracks.compactMap(\.trackID) == [1, 4])
        #expect(snapshot.tracks(.audio).first?.audioTrackInfo?.channels == 6)
        #expect(snapshot.track(.audio, language: "de")?.trackID == 2)
        #expect(snapshot.track(.text, language: "EN-gb")?.trackID == 4)
        #expect(snapshot.track(.text, language: "fr") == nil)
        #expect(snapshot.tracks(.text).first?.subtype == .captions)
        #expect(snapshot.trackIDs(choosing: 3, of: .text) == [1, 3])
        #expect(snapshot.trackIDs(choosing: nil, of: .text) == [1])
        #expect(snapshot.textTrackStyle?.fontScale == 1.5)
    }

    @Test func theQueueIsSeenFromTheCurrentItem() {
        let bench = MediaBench.playing([
            "currentItemId": 2, "loadingItemId": 3, "items": [["itemId": 1], ["itemId": 2], ["itemId": 3]],
        ])
        #expect(bench.snapshot.hasQueue && bench.snapshot.hasNextItem && bench.snapshot.hasPreviousItem)
        #expect(bench.snapshot.currentItem?.itemID == 2)
        #expect(bench.snapshot.nextItem?.itemID == 3)
        #expect(bench.snapshot.loadingItem?.itemID == 3)
    }
}
