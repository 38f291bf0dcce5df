import CastWire
import Testing

@testable import CastClient

/// What becomes of a load before it is sent.
@Suite struct LoadPreparationTests {
    private static func prepared(
        _ json: JSONObject, appType: String? = "WEB"
    ) throws -> LoadRequest {
        try LoadRequest(json: json).prepared(appType: appType)
    }

    @Test func whatMayBeGuessedIsFilledIn() throws {
        let load = try Self.prepared([
            "media": [
                "contentUrl": "http://192.0.2.9/a.mp4", "metadata": ["title": "A"], "tracks": [["trackId": "1"]],
            ],
            "activeTrackIds": ["1"],
        ])
        #expect(load.media?.json["contentId"] == "http://192.0.2.9/a.mp4")
        #expect(load.media?.json["streamType"] == "BUFFERED")
        #expect(load.media?.metadata?.json["metadataType"] == 0)
        #expect(load.media?.tracks?.first?.json["trackId"] == 1)
        #expect(load.json["activeTrackIds"] == [1])
        #expect(load.json["autoplay"] == true)
        let both = try Self.prepared([
            "media": ["contentId": "id", "contentUrl": "http://192.0.2.9/a", "streamType": "NONE"]
        ])
        #expect(both.media?.contentID == "id")
        #expect(both.media?.playableURL == "http://192.0.2.9/a")
        #expect(both.media?.streamType == StreamType.none)
    }

    /// Media of people have blanks in their names; receivers encode them as browsers do.
    @Test(arguments: ["http://192.0.2.9/A film (2001).mp4", "http://192.0.2.9/Zürich%20.mp4"])
    func anAddressIsPassedOnAsItIs(_ address: String) throws {
        let media: JSONObject = ["contentUrl": .string(address)]
        #expect(try Self.prepared(["media": .object(media)]).media?.contentURL == address)
        let queue = try Self.prepared(["queueData": ["items": [["media": .object(media)]]]])
        #expect(queue.queueData?.items?.first?.media?.contentURL == address)
    }

    @Test(arguments: ["film.mp4", " http://192.0.2.9/a", "http://192.0.2.9/a ", "http://192.0.2.9/a\nb", "http://", ""])
    func whatIsNoAddressIsRefused(_ address: String) {
        #expect(throws: RequestError.self) {
            try Self.prepared(["media": ["contentUrl": .string(address), "contentId": "a"]])
        }
    }

    @Test(
        arguments: [
            (["media": ["contentId": "a"]], true), (["media": ["contentId": "a"], "autoplay": false], false),
            (["media": ["contentId": "a"], "autoplay": nil], false),
            (["queueData": ["items": [["media": ["contentId": "a"]]]], "autoplay": nil], true),
            (["queueData": ["items": [["media": ["contentId": "a"], "autoplay": false]]], "autoplay": nil], false),
            (["queueData": ["items": [["media": ["contentId": "a"], "autoplay": false]]], "autoplay": true], true),
            (
                [
                    "queueData": [
                        "startIndex": 1,
                        "items": [["media": ["contentId": "a"]], ["media": ["contentId": "b"], "autoplay": false]],
                    ], "autoplay": nil,
                ], false
            ),
        ] as [(JSONObject, Bool)])
    func autoplayHasThreeStates(_ json: JSONObject, _ plays: Bool) throws {
        #expect(try Self.prepared(json).json["autoplay"] == .bool(plays))
        #expect(MediaCommand.leavingAutoplayToItems(LoadRequest(json: json)).json["autoplay"] == JSONValue.null)
    }

    @Test(arguments: [Double.nan, .infinity, -5])
    func anInvalidStartIsLeftOut(_ time: Double) throws {
        var request = LoadRequest(json: ["media": ["contentId": "a"]])
        request.currentTime = time
        #expect(try request.prepared(appType: nil).json["currentTime"] == nil)
        request.currentTime = 7
        #expect(try request.prepared(appType: nil).currentTime == 7)
    }

    @Test(
        arguments: [
            [:], ["media": nil], ["media": [:]], ["media": ["contentId": ""]], ["media": 5],
            ["media": ["contentId": "a", "contentUrl": "one.mp4"]],
            ["media": ["contentUrl": ""]], ["media": ["contentId": "a", "contentUrl": 5]], ["queueData": [:]],
            ["queueData": ["items": []]], ["queueData": ["items": [[:]]]],
            ["queueData": ["startIndex": 1, "items": [["media": ["contentId": "a"]]]]],
            ["media": ["contentId": "a"], "playbackRate": 0], ["media": ["contentId": "a"], "activeTrackIds": ["x"]],
            ["media": ["contentId": "a", "tracks": [["trackId": 1], ["trackId": 1]]]],
            ["media": ["contentId": "a", "metadata": ["metadataType": 3, "trackNumber": "four"]]],
        ] as [JSONObject])
    func whatCannotBePlayedIsNotSent(_ json: JSONObject) {
        var bench = MediaBench()
        bench.attach()
        let ticket = bench.perform(.load(LoadRequest(json: json)))
        #expect(bench.error(of: ticket)?.code == .invalidRequest)
        #expect(bench.sent.isEmpty)
    }

    @Test func aCloudQueueNeedsNoItems() throws {
        #expect(try Self.prepared(["queueData": ["entity": "app://list"]]).queueData?.entity == "app://list")
        #expect(try Self.prepared(["media": ["entity": "app://item"]]).media?.entity == "app://item")
    }

    @Test func itemsLoseIDsAndBadStarts() throws {
        let load = try Self.prepared([
            "queueData": ["items": [["itemId": 5, "startTime": -1, "media": ["contentUrl": "x:y"]]]]
        ])
        let item = try #require(load.queueData?.items?.first)
        #expect(item.itemID == nil && item.startTime == nil)
        #expect(item.media?.contentID == "x:y")
    }

    @Test func metadataThatDoesNotBelongIsLeftOut() throws {
        let load = try Self.prepared([
            "media": [
                "contentId": "a",
                "metadata": ["metadataType": 1, "title": "A", "albumName": "B", "mine": 5, "studio": "S"],
            ]
        ])
        #expect(load.media?.metadata?.json == ["metadataType": 1, "title": "A", "mine": 5, "studio": "S"])
    }

    @Test func credentialsFollowTheKindOfApp() throws {
        let json: JSONObject = [
            "media": ["contentId": "a"], "credentials": "web", "atvCredentials": "tv", "atvCredentialsType": "android",
        ]
        #expect(try Self.prepared(json).credentials == "web")
        let television = try Self.prepared(json, appType: "ANDROID_TV")
        #expect(television.credentials == "tv")
        #expect(television.credentialsType == "android")
        #expect(television.atvCredentials == "tv")
    }

    private struct Completion: LoadCompletion {
        func complete(_ load: inout LoadRequest, for app: ReceiverApplication) {
            if load.json["credentials"] == nil { load.credentials = app.appID?.rawValue }
        }
    }

    @Test func whatTheConfigurationAddsIsSent() {
        var bench = MediaBench(loads: Completion())
        bench.attach()
        bench.perform(.load(LoadRequest(json: ["media": ["contentId": "a"]])))
        #expect(bench.lastSent?.string("credentials") == "CC1AD845")
        bench.perform(.load(LoadRequest(json: ["media": ["contentId": "a"], "credentials": "own"])))
        #expect(bench.lastSent?.string("credentials") == "own")
        let credentials = LoadCredentials("secret", type: "linux")
        #expect("\(credentials)" == "credentials of type linux")
    }

    @Test func aLoadNamesTheSessionAndKeepsWhatItDoesNotKnow() {
        var bench = MediaBench()
        bench.attach()
        bench.perform(.load(LoadRequest(json: ["media": ["contentId": "a"], "mine": 5, "customData": ["x": 1]])))
        #expect(bench.lastSent?.string("sessionId") == "s-1")
        #expect(bench.lastSent?.int("mine") == 5)
        #expect(bench.lastSent?["customData"] == ["x": 1])
    }
}
