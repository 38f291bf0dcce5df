import CastWire
import Testing

@Suite struct MediaPayloadTests {
    private func object(_ text: String) throws -> JSONObject {
        try #require(try JSONReader.read(text).objectValue)
    }

    @Test func unknownFieldsSurviveAChange() throws {
        var media = MediaInformation(json: try self.object(#"{"x":1.0,"contentId":"a","metadata":{"y":[1]}}"#))
        media.duration = 5
        media.metadata?.title = "T"
        let text = JSONValue.object(media.json).text
        #expect(text == #"{"x":1.0,"contentId":"a","metadata":{"y":[1],"title":"T"},"duration":5}"#)
        media.duration = nil
        #expect(media.json["duration"] == nil)
    }

    @Test(
        arguments: [
            ("true", true), ("false", false), (#""false""#, true), (#""""#, false), ("0", false), ("1", true),
            ("null", nil), ("{}", true),
        ] as [(String, Bool?)])
    func autoplayIsReadAsReceiversDo(_ value: String, _ expected: Bool?) throws {
        #expect(LoadRequest(json: try self.object("{\"autoplay\":\(value)}")).autoplay == expected)
    }

    @Test func mediaOdditiesAreTolerated() throws {
        #expect(MediaInformation(json: ["streamType": .null]).streamType == .buffered)
        #expect(MediaInformation().streamType == .buffered)
        #expect(MediaInformation(json: ["streamType": "LIVE"]).streamType == .live)
        let address = MediaInformation(json: ["contentUrl": "u"])
        #expect(address.contentID == "u" && address.playableURL == "u")
        #expect(MediaInformation(json: ["contentId": "i", "contentUrl": "u"]).playableURL == "u")
        #expect(MediaTrack(json: ["trackId": "12"]).trackID == 12)
        #expect(MediaTrack(json: ["trackId": 12.0]).trackID == 12)
        #expect(MediaTrack(json: ["trackId": 1.5]).trackID == nil)
        #expect(QueueItem(json: ["activeTrackIds": ["1", 2]]).activeTrackIDs == [1, 2])
        #expect(QueueItem(json: ["activeTrackIds": [1, "x"]]).activeTrackIDs == nil)
    }

    @Test func imagesMayBeBareAddresses() {
        var metadata = MediaMetadata(json: ["images": ["a", ["url": "b", "width": 5], 7]])
        #expect(metadata.images.map(\.url) == ["a", "b"])
        #expect(metadata.images.last?.width == 5)
        metadata.images = []
        #expect(metadata.json["images"] == nil)
    }

    @Test(
        arguments: [("1e999", Double.infinity), ("5", 5), ("5.0", 5), (#""2.5""#, 2.5), (#""nan""#, nil), ("[]", nil)]
            as [(String, Double?)])
    func numbersAreLenient(_ value: String, _ expected: Double?) throws {
        #expect(MediaRequest(json: try self.object("{\"currentTime\":\(value)}")).currentTime == expected)
    }

    @Test(arguments: ["99999999999999999999", "1e40", "-1e40", "0.5"])
    func wholeNumbersThatDoNotFitAreNone(_ value: String) throws {
        #expect(MediaRequest(json: try self.object("{\"jump\":\(value)}")).jump == nil)
    }

    @Test func requestFieldsAreTyped() throws {
        let request = MediaRequest(
            json: try self.object(
                #"{"type":"SEEK","requestId":"a","mediaSessionId":3,"relativeTime":-5,"resumeState":"PLAYBACK_START","volume":{"muted":true},"itemIds":[1,2],"prevCount":4,"clear":false,"sessionState":{"loadRequestData":{"media":{"contentId":"c"}}}}"#
            ))
        #expect(request.type == .seek)
        #expect(request.requestID?.json == "a")
        #expect(request.mediaSessionID == 3 && request.relativeTime == -5 && request.resumeState == .start)
        #expect(request.volume?.isMuted == true && request.volume?.level == nil)
        #expect(request.itemIDs == [1, 2] && request.previousCount == 4 && request.clears == false)
        #expect(request.sessionState?.loadRequestData?.media?.contentID == "c")
    }

    @Test func commandBitsAreThoseOfTheProtocol() {
        #expect(SupportedMediaCommands.basic.rawValue == 12303)
        #expect(SupportedMediaCommands.defaultReceiver.rawValue == 274447)
        var status = MediaStatus()
        status.supportedMediaCommands = [.queueNext, .queuePrevious, .skipAd]
        #expect(status.json == ["supportedMediaCommands": 704])
    }

    @Test func breaksAndClipsAreTyped() {
        let plan = Break(json: ["id": "b", "breakClipIds": ["c", 1, "d"], "position": -1, "isWatched": false])
        #expect(plan.breakClipIDs == ["c", "d"] && plan.position == -1 && plan.isWatched == false)
        #expect(BreakClip(json: ["whenSkippable": 5]).whenSkippable == 5)
        var status = MediaStatus()
        status.breakStatus = BreakStatus(json: ["breakId": "b"])
        status.idleReason = .finished
        status.extendedStatus = ExtendedMediaStatus(json: ["playerState": "LOADING"])
        #expect(
            status.json == [
                "breakStatus": ["breakId": "b"], "idleReason": "FINISHED", "extendedStatus": ["playerState": "LOADING"],
            ])
    }

    @Test func openValuesKeepWhatTheyDoNotKnow() {
        let status = MediaStatus(json: ["playerState": "DANCING", "repeatMode": "REPEAT_ALL"])
        #expect(status.playerState == PlayerState(rawValue: "DANCING"))
        #expect(status.repeatMode?.wraps == true && status.repeatMode?.isKnown == true)
        #expect(RepeatMode(rawValue: "x").isKnown == false)
        #expect(DetailedErrorCode.mediaSourceNotSupported.rawValue == 104 && DetailedErrorCode.generic.rawValue == 999)
        #expect(MediaMetadata(json: ["metadataType": 3]).metadataType == .musicTrack)
        #expect(UserAction.like.opposite == .dislike && UserAction.flag.opposite == nil)
    }
}
