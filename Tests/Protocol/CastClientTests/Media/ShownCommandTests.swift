import CastWire
import NIOCore
import Testing

@testable import CastClient

/// Commands that an app answers by telling all senders how things are, without a number.
@Suite struct ShownCommandTests {
    private static let tracks: JSONObject = [
        "contentId": "one", "duration": 600,
        "tracks": [
            ["trackId": 1, "type": "TEXT", "language": "de"], ["trackId": 2, "type": "TEXT", "language": "en"],
            ["trackId": 3, "type": "AUDIO", "language": "fr"],
        ],
    ]

    private static func items(_ ids: Int...) -> JSONValue {
        .array(ids.map { ["itemId": .number($0), "media": ["contentId": .string("m\($0)")]] })
    }

    private static func item(_ id: Int) -> QueueItem {
        QueueItem(json: ["media": ["contentId": .string("m\(id)")]])
    }

    private static let cases: [(MediaCommand, before: JSONObject, other: JSONObject, shows: JSONObject)] = [
        (.pause(), [:], ["playerState": "BUFFERING"], ["playerState": "PAUSED"]),
        (.play(), ["playerState": "PAUSED"], ["playerState": "PAUSED"], ["playerState": "PLAYING"]),
        (.stop(), [:], ["playerState": "PAUSED"], ["playerState": "IDLE", "idleReason": "CANCELLED"]),
        (.seek(to: 100), [:], ["currentTime": 10], ["currentTime": 101.5]),
        (.seek(to: 11), [:], ["currentTime": 10], ["currentTime": 11]),
        (.seek(by: -5), [:], ["currentTime": 10], ["currentTime": 5]),
        (.seek(to: 9000), [:], ["currentTime": 10], ["currentTime": 600]),
        (.pause(at: 50), [:], ["currentTime": 50], ["currentTime": 50, "playerState": "PAUSED"]),
        (.setStreamVolume(0.4), [:], ["volume": ["level": 0.9]], ["volume": ["level": 0.4001]]),
        (.setStreamMuted(true), [:], ["volume": ["muted": false]], ["volume": ["muted": true]]),
        (.setPlaybackRate(1.5), [:], ["playbackRate": 1], ["playbackRate": 1.5]),
        (.multiplyPlaybackRate(by: 2), [:], ["playbackRate": 1], ["playbackRate": 2]),
        (
            .setActiveTracks([1, 3]), ["media": .object(tracks)], ["activeTrackIds": [1]], ["activeTrackIds": [3, 1]]
        ),
        (
            .setTextLanguage("en-US"), ["media": .object(tracks)], ["activeTrackIds": [1]], ["activeTrackIds": [2]]
        ),
        (
            .setTextEnabled(false), ["media": .object(tracks), "activeTrackIds": [1]], ["activeTrackIds": [2, 3]],
            ["activeTrackIds": [3]]
        ),
        (.setAudioLanguage("fr"), ["media": .object(tracks)], ["activeTrackIds": [1]], ["activeTrackIds": [1, 3]]),
        (
            .insert([item(7)]), ["items": items(1, 2)], ["items": items(1, 2)], ["items": items(1, 2, 7)]
        ),
        (.remove([2]), ["items": items(1, 2)], ["items": items(1, 2)], ["items": items(1)]),
        (.move(2, before: 1), ["items": items(1, 2, 3)], ["items": items(1, 2, 3)], ["items": items(2, 1, 3)]),
        (.move(1, before: nil), ["items": items(1, 2)], ["items": items(1, 2)], ["items": items(2, 1)]),
        (.jump(to: 2), ["items": items(1, 2)], ["currentItemId": 1], ["currentItemId": 2]),
        (.next(), ["items": items(1, 2)], ["currentItemId": 1], ["currentItemId": 2]),
        (.setRepeatMode(.all), [:], ["repeatMode": "REPEAT_OFF"], ["repeatMode": "REPEAT_ALL"]),
        (.setShuffled(true), [:], ["queueData": ["shuffle": false]], ["queueData": ["shuffle": true]]),
        (.refreshStatus(), [:], [:], [:]),
    ]

    @Test(arguments: cases.indices)
    func aStateThatShowsItConfirmsIt(index: Int) {
        let (command, before, other, shows) = Self.cases[index]
        var bench = MediaBench.playing(before, options: MediaClientOptions(checksSupportedCommands: false))
        let ticket = bench.perform(command)
        #expect(bench.outcome(of: ticket) == nil)
        if other != shows {
            bench.push(MediaBench.status(before.merging(other)))
            #expect(bench.outcome(of: ticket) == nil, "\(command.body)")
        }
        bench.push(MediaBench.status(before.merging(shows)))
        #expect(bench.outcome(of: ticket)?.isCompleted == true, "\(command.body)")
    }

    @Test func anEmptyStatusConfirmsAStop() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.stop())
        bench.push(nil)
        #expect(bench.outcome(of: ticket)?.isCompleted == true)
    }

    @Test(
        arguments: [
            (.insert([item(7), item(8)]), ["changeType": "INSERT", "itemIds": [21, 22]]),
            (.remove([4]), ["changeType": "REMOVE", "itemIds": [4]]),
            (
                .update([QueueItem(json: ["itemId": 4, "autoplay": true])]),
                ["changeType": "ITEMS_CHANGE", "itemIds": [4]]
            ),
            (.reorder([4, 3]), ["changeType": "UPDATE", "itemIds": [4, 3]]),
        ] as [(MediaCommand, JSONObject)])
    func aChangeOfTheQueueConfirmsIt(command: MediaCommand, change: JSONObject) {
        var bench = MediaBench.playing()
        let ticket = bench.perform(command)
        let message: JSONObject = ["type": "QUEUE_CHANGE", "requestId": 0]
        bench.receive(message.merging(change))
        #expect(bench.outcome(of: ticket)?.isCompleted == true)
    }

    @Test func aLoadIsConfirmedByItsMediumAlone() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.load(MediaInformation(json: ["contentId": "two"])))
        bench.push(MediaBench.status(["mediaSessionId": 1, "currentTime": 12]))
        #expect(bench.outcome(of: ticket) == nil)
        bench.push(MediaBench.status(["mediaSessionId": 2, "media": ["contentId": "two"]]))
        #expect(bench.outcome(of: ticket)?.isCompleted == true)
    }

    @Test func whatTellsNothingConfirmsNothing() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.stop())
        for status: JSONValue? in [nil, .null, [:], [.null]] {
            var message: JSONObject = ["type": "MEDIA_STATUS", "requestId": 0]
            message["status"] = status
            bench.receive(message)
            #expect(bench.outcome(of: ticket) == nil)
            #expect(bench.snapshot.hasMediaSession)
        }
    }

    /// `null` says as little as nothing at all: the position goes on from what was told before.
    @Test(arguments: [nil, .null, "x"] as [JSONValue?])
    func aPositionThatIsNotToldGoesOn(time: JSONValue?) {
        var bench = MediaBench.playing(["currentTime": 100])
        bench.pass(2)
        var status = MediaBench.status()
        status["currentTime"] = time
        bench.push(status)
        bench.pass(1)
        #expect(abs(bench.position - 103) < 0.01)
    }

    @Test func theIDsOfAQueueNeedNoNumber() {
        var bench = MediaBench.playing()
        let ticket = bench.perform(.fetchItemIDs())
        bench.receive(["type": "QUEUE_ITEM_IDS", "requestId": 0, "itemIds": [1, 2]])
        #expect(bench.outcome(of: ticket)?.isCompleted == true)
    }
}

extension JSONObject {
    /// The object with the members of another one, which win.
    fileprivate func merging(_ other: JSONObject) -> JSONObject {
        var json = self
        for member in other.members { json[member.name] = member.value }
        return json
    }
}
