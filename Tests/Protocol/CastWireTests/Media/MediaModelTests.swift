import CastWire
import Foundation
import Testing

/// Every object of the media namespace keeps what it does not know and gives back what was set.
@Suite struct MediaModelTests {
    private func object(_ text: String) throws -> JSONObject {
        try #require(try JSONReader.read(text).objectValue)
    }

    /// An item with every field that the protocol has.
    private static let everything = #"""
        {"contentId":"id","contentUrl":"http://192.0.2.9/a.m3u8","contentType":"application/x-mpegURL","streamType":"LIVE","duration":60.5,"metadata":{"metadataType":5,"bookTitle":"B","chapterTitle":"C","chapterNumber":2,"title":"T","subtitle":"S","images":[{"url":"u","width":1,"height":2}],"sectionDuration":5,"sectionStartTimeInContainer":1.5,"sectionStartTimeInMedia":2,"sectionStartAbsoluteTime":1700000000,"queueItemId":3,"mine":1},"tracks":[{"trackId":1,"type":"TEXT","subtype":"CAPTIONS","name":"N","language":"de","trackContentId":"v","trackContentType":"text/vtt","isInband":false,"roles":["main"],"x":1},{"trackId":2,"type":"AUDIO","audioTrackInfo":{"audioCodec":"mp4a","numAudioChannels":6,"spatialAudio":true}}],"textTrackStyle":{"edgeType":"OUTLINE","windowType":"ROUNDED_CORNERS","fontGenericFamily":"SERIF","fontStyle":"BOLD","windowRoundedCornerRadius":4},"breaks":[{"id":"b","breakClipIds":["c"],"position":-1,"isWatched":true,"isEmbedded":true,"expanded":true}],"breakClips":[{"id":"c","whenSkippable":5,"hlsSegmentFormat":"ts","vastAdsRequest":{"adTagUrl":"t"}}],"vmapAdsRequest":{"adsResponse":"<x/>"},"entity":"e","atvEntity":"ae","appContentId":"ac","contentRating":"TV-14","mediaCategory":"VIDEO","hlsSegmentFormat":"ts_aac","hlsVideoSegmentFormat":"fmp4","startAbsoluteTime":1700000000.5,"userActionStates":[{"userAction":"LIKE","userActionContext":"TRACK"}],"customData":{"z":[]},"unknown":{"a":null}}
        """#

    @Test func everyFieldIsReadAndNothingIsLost() throws {
        let media = MediaInformation(json: try self.object(Self.everything))
        #expect(media.contentRating == "TV-14" && media.appContentID == "ac" && media.atvEntity == "ae")
        #expect(media.startAbsoluteTime == 1_700_000_000.5 && media.mediaCategory == .video && media.entity == "e")
        #expect(media.hlsSegmentFormat == HLSSegmentFormat.transportStreamAAC)
        #expect(media.hlsVideoSegmentFormat == HLSVideoSegmentFormat.fragmentedMP4)
        #expect(media.vmapAdsRequest?.adsResponse == "<x/>")
        #expect(media.userActionStates?.first?.context == .track)
        let metadata = try #require(media.metadata)
        #expect(metadata.metadataType == .audiobookChapter && metadata.chapterNumber == 2)
        #expect(metadata.sectionStartTimeInContainer == 1.5 && metadata.sectionStartAbsoluteTime == 1_700_000_000)
        #expect(metadata.images == [MediaImage(json: ["url": "u", "width": 1, "height": 2])])
        let tracks = try #require(media.tracks)
        #expect(tracks[0].subtype == .captions && tracks[0].trackContentType == .webVTT && tracks[0].roles == ["main"])
        #expect(tracks[1].audioTrackInfo?.channels == 6 && tracks[1].audioTrackInfo?.isSpatial == true)
        #expect(tracks[1].audioTrackInfo?.codec == "mp4a")
        let style = try #require(media.textTrackStyle)
        #expect(style.edgeType == .outline && style.windowType == .roundedCorners)
        #expect(style.fontGenericFamily == .serif && style.fontStyle == .bold)
        #expect(media.breaks?.first?.isPostRoll == true && media.breaks?.first?.isExpanded == true)
        #expect(
            media.breakClips?.first?.isSkippable == true && media.breakClips?.first?.vastAdsRequest?.adTagURL == "t")
        #expect(media.breakClips?.first?.hlsSegmentFormat == "ts")
        #expect(JSONValue.object(media.json).text == Self.everything)
    }

    @Test func whatIsReadAndSetAgainIsTheSame() throws {
        let old = MediaInformation(json: try self.object(Self.everything))
        var media = old
        media.metadata = old.metadata
        media.tracks = old.tracks
        media.breaks = old.breaks
        media.breakClips = old.breakClips
        media.textTrackStyle = old.textTrackStyle
        media.vmapAdsRequest = old.vmapAdsRequest
        media.userActionStates = old.userActionStates
        #expect(media == old)
    }

    @Test func containersAreTyped() throws {
        var queue = QueueData()
        var container = ContainerMetadata()
        container.containerType = .audiobook
        container.title = "T"
        container.duration = 3600
        container.authors = ["A"]
        container.narrators = ["N"]
        container.publisher = "P"
        container.releaseDate = "2020-01-02"
        container.images = [MediaImage(json: ["url": "u"])]
        container.sections = [MediaMetadata(.audiobookChapter)]
        queue.containerMetadata = container
        #expect(
            JSONValue.object(queue.json).text
                == #"{"containerMetadata":{"containerType":1,"title":"T","containerDuration":3600,"authors":["A"],"narrators":["N"],"publisher":"P","releaseDate":"2020-01-02","containerImages":[{"url":"u"}],"sections":[{"metadataType":5}]}}"#
        )
        #expect(QueueData(json: queue.json).containerMetadata == container)
    }

    @Test func theSDKsHaveTwentyEightKeys() {
        #expect(MetadataKey.allCases.count == 28)
        #expect(Set(MetadataKey.allCases.map(\.rawValue)).count == 28)
    }

    @Test(
        arguments: [
            (MetadataKey.title, [0, 1, 2, 3, 4, 5]), (.subtitle, [0, 1, 5]), (.releaseDate, [0, 1, 2, 3]),
            (.studio, [1]),
            (.seriesTitle, [2]), (.broadcastDate, [2]), (.seasonNumber, [2]), (.episodeNumber, [2]),
            (.artist, [0, 3, 4]),
            (.albumTitle, [3]), (.albumArtist, [3]), (.composer, [3]), (.discNumber, [3]), (.trackNumber, [3]),
            (.creationDate, [4]), (.width, [4]), (.height, [4]), (.locationName, [4]), (.locationLatitude, [4]),
            (.locationLongitude, [4]), (.bookTitle, [5]), (.chapterNumber, [5]), (.chapterTitle, [5]),
            (.sectionDuration, [0, 1, 2, 3, 4, 5]), (.queueItemID, [0, 1, 2, 3, 4, 5]),
        ] as [(MetadataKey, [Int])])
    func keysBelongToKinds(_ key: MetadataKey, _ types: [Int]) {
        #expect((0...5).filter { key.isValid(in: MediaMetadataType(rawValue: $0)) } == types)
        #expect(key.isValid(in: MediaMetadataType(rawValue: MediaMetadataType.firstOfApps)))
    }

    /// The vectors are those of `castway_media.py` too.
    @Test func whatIsSentIsThatOfOtherLanguages() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Fixtures/Media/metadata.json").standardized
        let vectors = try #require(try JSONReader.read(String(contentsOf: file, encoding: .utf8)).arrayValue)
        #expect(vectors.count > 10)
        for vector in vectors.compactMap(\.objectValue) {
            let metadata = MediaMetadata(json: vector.object("given") ?? [:])
            if let key = vector.string("refused") {
                let refusal = #expect(throws: MediaMetadata.WrongValue.self) { try metadata.checked() }
                #expect(refusal?.key.rawValue == key)
            } else {
                // In whichever order.
                func members(_ json: JSONObject?) -> [String: JSONValue] {
                    Dictionary((json?.members ?? []).map { ($0.name, $0.value) }) { first, _ in first }
                }
                #expect(members(try metadata.checked().json) == members(vector.object("sent")), "\(vector)")
            }
        }
    }

    @Test func whatDoesNotBelongIsNotSent() throws {
        let metadata = MediaMetadata(json: [
            "metadataType": 2, "title": "T", "studio": "S", "season": 1, "episode": nil, "mine": "m",
        ])
        #expect(try metadata.checked().json == ["metadataType": 2, "title": "T", "season": 1, "mine": "m"])
        #expect(try MediaMetadata(json: ["title": "T"]).checked().metadataType == .generic)
    }

    @Test(
        arguments: [
            ["title": 5], ["metadataType": 2, "season": "one"], ["metadataType": 4, "latitude": "north"],
            ["metadataType": 4, "width": 1.5], ["releaseDate": "yesterday"], ["releaseDate": ""],
        ] as [JSONObject])
    func valuesOfAnotherKindAreRefused(_ json: JSONObject) {
        #expect(throws: MediaMetadata.WrongValue.self) { try MediaMetadata(json: json).checked() }
    }

    @Test(arguments: ["2014", "2014-07-28", "20140728", "2014-07-28T10:11:12Z", "20140728T101112.5+01:00"])
    func datesAreThoseOfTheSDKs(_ date: String) {
        #expect(MetadataKey.releaseDate.accepts(.string(date)))
    }

    @Test func metadataIsReadByKey() {
        var metadata = MediaMetadata(.musicTrack)
        metadata[.trackNumber] = 3
        metadata[.title] = "T"
        metadata.json["mine"] = 1
        metadata.add(MediaImage(json: ["url": "u"]))
        #expect(metadata.whole(.trackNumber) == 3 && metadata.whole(.discNumber, default: 7) == 7)
        #expect(metadata.number(.locationLatitude) == 0 && metadata.text(.title) == "T")
        #expect(metadata.contains(.title) && !metadata.contains(.artist))
        #expect(metadata.keys == ["trackNumber", "title", "mine"])
        #expect(metadata.images.count == 1)
    }

    @Test func aQueueChangeIsRead() {
        let change = QueueChange(json: [
            "type": "QUEUE_CHANGE", "changeType": "INSERT", "itemIds": [4, 5], "insertBefore": 2, "sequenceNumber": 9,
        ])
        #expect(change.changeType == .insert && change.itemIDs == [4, 5])
        #expect(change.insertBefore == 2 && change.sequenceNumber == 9)
    }

    @Test func errorCodesHaveTheirNames() {
        #expect(DetailedErrorCode.mediaSourceNotSupported.text == "MEDIA_SRC_NOT_SUPPORTED (104)")
        #expect(DetailedErrorCode(rawValue: 7).text == "error 7")
    }

    @Test func pixelsMakeAPictureUltraHD() {
        #expect(VideoInfo(json: ["width": 3840, "height": 1600, "hdrType": "hdr"]).isUltraHD)
        #expect(!VideoInfo(json: ["width": 1920, "height": 1080]).isUltraHD)
        #expect(VideoInfo(json: ["hdrType": "hdr"]).hdrType == .high)
    }

    @Test func theStandardStyleIsWhole() {
        let style = TextTrackStyle.standard
        #expect(style.fontScale == 1 && style.foregroundColor == "#FFFFFFFF" && style.windowType == TextWindowType.none)
    }
}
