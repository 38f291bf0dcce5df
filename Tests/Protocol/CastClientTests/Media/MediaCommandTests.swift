import CastWire
import Testing

@testable import CastClient

/// What each command puts on the wire (protocol notes, 6.2).
@Suite struct MediaCommandTests {
    private static func item(_ id: String, itemID: Int? = nil) -> QueueItem {
        var item = QueueItem()
        item.itemID = itemID
        item.media = MediaInformation(json: ["contentId": .string(id), "streamType": "BUFFERED"])
        return item
    }

    private static let all = SupportedMediaCommands(rawValue: 524_287)

    private static var style: TextTrackStyle {
        var style = TextTrackStyle()
        style.fontScale = 2
        return style
    }

    private static let cases: [(MediaCommand, String)] = [
        (.play(), #""type":"PLAY","mediaSessionId":1"#),
        (.play(at: 5), #""type":"SEEK","currentTime":5,"resumeState":"PLAYBACK_START","mediaSessionId":1"#),
        (.pause(), #""type":"PAUSE","mediaSessionId":1"#),
        (.pause(at: 5), #""type":"SEEK","currentTime":5,"resumeState":"PLAYBACK_PAUSE","mediaSessionId":1"#),
        (.stop(), #""type":"STOP","mediaSessionId":1"#),
        (.seek(to: 7.5), #""type":"SEEK","currentTime":7.5,"mediaSessionId":1"#),
        (.seek(by: -10), #""type":"SEEK","relativeTime":-10,"mediaSessionId":1"#),
        (
            .seekToEnd(then: .start),
            #""type":"SEEK","resumeState":"PLAYBACK_START","currentTime":4294967296,"mediaSessionId":1"#
        ),
        (.setPlaybackRate(1.5), #""type":"SET_PLAYBACK_RATE","playbackRate":1.5,"mediaSessionId":1"#),
        (.multiplyPlaybackRate(by: 2), #""type":"SET_PLAYBACK_RATE","relativePlaybackRate":2,"mediaSessionId":1"#),
        (.setStreamVolume(0.5), #""type":"SET_VOLUME","volume":{"level":0.5},"mediaSessionId":1"#),
        (.setStreamMuted(true), #""type":"SET_VOLUME","volume":{"muted":true},"mediaSessionId":1"#),
        (.skipAd(), #""type":"SKIP_AD","mediaSessionId":1"#),
        (.refreshStatus(), #""type":"GET_STATUS""#),
        (
            .userAction(.like, about: .track, clears: true),
            #""type":"USER_ACTION","userAction":"LIKE","userActionContext":"TRACK","clear":true,"mediaSessionId":1"#
        ),
        (.setActiveTracks([]), #""type":"EDIT_TRACKS_INFO","activeTrackIds":[],"mediaSessionId":1"#),
        (
            .setTextLanguage("de", isSuggestion: true),
            #""type":"EDIT_TRACKS_INFO","language":"de","enableTextTracks":true,"isSuggestedLanguage":true,"mediaSessionId":1"#
        ),
        (.setTextEnabled(false), #""type":"EDIT_TRACKS_INFO","enableTextTracks":false,"mediaSessionId":1"#),
        (.setAudioLanguage("de"), #""type":"EDIT_AUDIO_TRACKS","language":"de","mediaSessionId":1"#),
        (.setTextStyle(style), #""type":"EDIT_TRACKS_INFO","textTrackStyle":{"fontScale":2},"mediaSessionId":1"#),
        (.load(entity: "app://x", shuffled: true), #""type":"LOAD_BY_ENTITY","entity":"app://x","shuffle":true"#),
        (
            .preload(MediaInformation(json: ["contentId": "b"]), itemID: 2),
            #""type":"PRELOAD","media":{"contentId":"b"},"itemId":2,"mediaSessionId":1"#
        ),
        (.precache("x"), #""type":"PRECACHE","precacheData":"x""#),
        (
            .setCredentials(LoadCredentials("c", type: "linux"), forRequest: 4),
            #""type":"SET_CREDENTIALS","credentials":"c","credentialsType":"linux","forRequestId":4"#
        ),
        (.storeSession(), #""type":"STORE_SESSION","mediaSessionId":1"#),
        (
            .resumeSession(SessionState(json: ["customData": 1])),
            #""type":"RESUME_SESSION","sessionState":{"customData":1}"#
        ),
        (
            .loadQueue([item("a", itemID: 7)], repeatMode: .all, at: 3),
            #""type":"QUEUE_LOAD","items":[{"media":{"contentId":"a","streamType":"BUFFERED"}}],"startIndex":0,"repeatMode":"REPEAT_ALL","currentTime":3"#
        ),
        (
            .insert([item("a", itemID: 7)], before: 2, playing: 0, at: 4),
            #""type":"QUEUE_INSERT","items":[{"media":{"contentId":"a","streamType":"BUFFERED"}}],"insertBefore":2,"currentItemIndex":0,"currentTime":4,"mediaSessionId":1"#
        ),
        (
            .update([QueueItem(json: ["itemId": 3, "autoplay": false])]),
            #""type":"QUEUE_UPDATE","items":[{"itemId":3,"autoplay":false}],"mediaSessionId":1"#
        ),
        (
            .remove([3, 4], thenPlaying: 5),
            #""type":"QUEUE_REMOVE","itemIds":[3,4],"currentItemId":5,"mediaSessionId":1"#
        ),
        (.reorder([3, 4], before: 1), #""type":"QUEUE_REORDER","itemIds":[3,4],"insertBefore":1,"mediaSessionId":1"#),
        (.move(3, before: nil), #""type":"QUEUE_REORDER","itemIds":[3],"mediaSessionId":1"#),
        (.jump(to: 3, at: 2), #""type":"QUEUE_UPDATE","currentItemId":3,"currentTime":2,"mediaSessionId":1"#),
        (.next(), #""type":"QUEUE_UPDATE","jump":1,"mediaSessionId":1"#),
        (.previous(), #""type":"QUEUE_UPDATE","jump":-1,"mediaSessionId":1"#),
        (
            .setRepeatMode(.allAndShuffle),
            #""type":"QUEUE_UPDATE","repeatMode":"REPEAT_ALL_AND_SHUFFLE","mediaSessionId":1"#
        ),
        (.setShuffled(true), #""type":"QUEUE_UPDATE","shuffle":true,"mediaSessionId":1"#),
        (.fetchItemIDs(), #""type":"QUEUE_GET_ITEM_IDS","mediaSessionId":1"#),
        (.fetchItems([1, 2]), #""type":"QUEUE_GET_ITEMS","itemIds":[1,2],"mediaSessionId":1"#),
        (
            .fetchItems(around: 2, next: 3, previous: 1),
            #""type":"QUEUE_GET_ITEM_RANGE","itemId":2,"nextCount":3,"prevCount":1,"mediaSessionId":1"#
        ),
        (.raw(.focusState, ["state": "IN_FOCUS"]), #""type":"FOCUS_STATE","state":"IN_FOCUS","mediaSessionId":1"#),
        (.raw(.playAgain, needsMediaSession: true), #""type":"PLAY_AGAIN","mediaSessionId":1"#),
        (MediaCommand.pause().with(customData: ["a": 1]), #""type":"PAUSE","customData":{"a":1},"mediaSessionId":1"#),
    ]

    @Test(arguments: Self.cases.indices)
    func commandsAreSpelledAsTheProtocolHasThem(_ index: Int) throws {
        let (command, expected) = Self.cases[index]
        var bench = MediaBench.playing(["supportedMediaCommands": .number(Self.all.rawValue)])
        bench.perform(command)
        var sent = try #require(bench.lastSent)
        #expect(sent["requestId"] == 2)
        sent["requestId"] = nil
        #expect(JSONValue.object(sent).text == "{\(expected)}")
    }

    @Test(
        arguments: [
            .play(), .pause(), .stop(), .seek(to: 1), .setPlaybackRate(1), .setStreamVolume(1), .skipAd(),
            .storeSession(),
            .setActiveTracks([]), .insert([Self.item("a")]), .jump(by: 1), .fetchItemIDs(),
            .raw(.playAgain, needsMediaSession: true),
        ] as [MediaCommand])
    func withoutAMediaSessionCommandsFail(_ command: MediaCommand) {
        var bench = MediaBench()
        bench.attach()
        bench.answer(["type": "MEDIA_STATUS", "status": []])
        let ticket = bench.perform(command)
        #expect(bench.error(of: ticket)?.code == .noMediaSession)
        #expect(bench.sent.isEmpty)
    }

    @Test(
        arguments: [
            (.pause(), 2), (.seek(to: 1), 1), (.setPlaybackRate(2), 1), (.setStreamVolume(1), 1), (.skipAd(), 1),
            (.setActiveTracks([1]), 1), (.userAction(.follow), 1),
        ] as [(MediaCommand, Int)])
    func whatTheAppCannotDoIsNotSent(_ command: MediaCommand, _ bits: Int) {
        var bench = MediaBench.playing(["supportedMediaCommands": .number(bits)])
        let ticket = bench.perform(command)
        #expect(bench.error(of: ticket)?.code == .notAllowed)
        var lenient = MediaBench.playing(
            ["supportedMediaCommands": .number(bits)], options: MediaClientOptions(checksSupportedCommands: false))
        lenient.perform(command)
        #expect(lenient.sent.count == 1)
        var silent = MediaBench.playing(["supportedMediaCommands": .null])
        silent.perform(command)
        #expect(silent.sent.count == 1)
    }

    @Test(
        arguments: [
            .seek(to: .nan), .seek(to: -1), .seek(by: .infinity), .setPlaybackRate(0), .setPlaybackRate(.nan),
            .multiplyPlaybackRate(by: -1), .setStreamVolume(1.1), .setStreamVolume(.nan), .insert([]), .remove([]),
            .reorder([]), .fetchItems([]), .update([QueueItem()]), .fetchItems(around: 1), .load(entity: ""),
            .insert([Self.item("a")], playing: 1), .loadQueue([Self.item("a")], startIndex: 1), .loadQueue([]),
            .insert([QueueItem()]),
        ] as [MediaCommand])
    func whatMakesNoSenseIsNotSent(_ command: MediaCommand) {
        var bench = MediaBench.playing()
        let ticket = bench.perform(command)
        #expect(bench.error(of: ticket)?.code == .invalidRequest)
        #expect(bench.sent.isEmpty)
    }

    @Test func theLiveEdgeIsWhereTheRangeEndsByNow() {
        var bench = MediaBench.playing([
            "media": ["contentId": "live", "streamType": "LIVE"], "currentTime": 5,
            "liveSeekableRange": ["start": 0, "end": 10],
        ])
        bench.pass(5)
        bench.perform(.seekToEnd())
        #expect(bench.lastSent?.double("currentTime") == 15)
    }

    @Test func aQueueThatIsThereGetsTheItem() {
        var bench = MediaBench.playing(["items": [["itemId": 1]]])
        bench.perform(.enqueue([Self.item("b")]))
        #expect(bench.lastSent?.string("type") == "QUEUE_INSERT")
        #expect(bench.lastSent?["insertBefore"] == nil)
        #expect(bench.lastSent?.int("mediaSessionId") == 1)
    }

    @Test func withoutAQueueANewOneKeepsTheRepeatMode() throws {
        var bench = MediaBench.playing(["repeatMode": "REPEAT_SINGLE"])
        bench.push(["mediaSessionId": 1, "playerState": "IDLE", "idleReason": "CANCELLED", "media": .null])
        bench.push(nil)
        bench.perform(.enqueue([Self.item("b", itemID: 9)]))
        let sent = try #require(bench.lastSent)
        #expect(sent.string("type") == "LOAD")
        #expect(sent.bool("autoplay") == true)
        let queue = try #require(LoadRequest(json: sent).queueData)
        #expect(queue.repeatMode == .single)
        #expect(queue.items?.first?.media?.contentID == "b")
        #expect(queue.items?.first?.itemID == nil)
        var fresh = MediaBench()
        fresh.attach()
        fresh.answer(["type": "MEDIA_STATUS", "status": []])
        fresh.perform(.enqueue([Self.item("b")]))
        #expect(LoadRequest(json: try #require(fresh.lastSent)).queueData?.repeatMode == .off)
    }
}
