import CastWire
import Testing

/// What is missing, null or of another kind says nothing.
@Suite struct StatusCompletionTests {
    @Test(arguments: [nil, .null, [:], [.null], ["PLAYING", 1], "x"] as [JSONValue?])
    func whatIsNoListOfStatusesTellsNothing(status: JSONValue?) {
        var message: JSONObject = ["type": "MEDIA_STATUS", "requestId": 0]
        message["status"] = status
        #expect(MediaStatus.elements(of: message) == nil)
    }

    @Test func anEmptyListSaysThatNothingIsLoaded() {
        #expect(MediaStatus.elements(of: ["status": []]) == [])
        #expect(MediaStatus.elements(of: ["status": [.null, ["mediaSessionId": 1]]])?.count == 1)
    }

    @Test(
        arguments: [
            ("mediaSessionId", .null), ("playerState", .null), ("playerState", 3), ("currentTime", .null),
            ("currentTime", "soon"), ("currentTime", [:]), ("playbackRate", .null), ("supportedMediaCommands", .null),
            ("volume", .null), ("volume", 1), ("media", .null), ("media", []), ("activeTrackIds", .null),
            ("activeTrackIds", [.null]), ("currentItemId", .null), ("items", .null), ("items", [.null]), ("items", [:]),
            ("repeatMode", .null), ("queueData", .null), ("videoInfo", .null), ("liveSeekableRange", .null),
        ] as [(String, JSONValue)])
    func aFieldThatTellsNothingStays(name: String, value: JSONValue) {
        let known = MediaStatus(json: [
            "mediaSessionId": 1, "playerState": "PLAYING", "currentTime": 100, "playbackRate": 1,
            "supportedMediaCommands": 15, "volume": ["level": 0.5], "media": ["contentId": "a"], "activeTrackIds": [1],
            "currentItemId": 2, "items": [["itemId": 2]], "repeatMode": "REPEAT_ALL", "queueData": ["name": "q"],
            "videoInfo": ["width": 1], "liveSeekableRange": ["start": 0],
        ])
        var told: JSONObject = ["idleReason": .null]
        told[name] = value
        #expect(MediaStatus(json: told).completed(by: known) == known)
        #expect(MediaStatus(json: told).completed(by: nil).json.isEmpty)
    }

    @Test func whatIsToldCountsAndTheReasonOfBeingIdleDoesNotLast() {
        let known = MediaStatus(json: [
            "playerState": "IDLE", "idleReason": "FINISHED", "volume": ["level": 0.5, "muted": false],
        ])
        let told = MediaStatus(json: ["playerState": "PLAYING", "volume": ["level": .null, "muted": true]])
        #expect(
            told.completed(by: known)
                == MediaStatus(json: ["playerState": "PLAYING", "volume": ["level": 0.5, "muted": true]]))
    }

    private static let receiver = ReceiverStatus(json: [
        "applications": [["appId": "A", "sessionId": "s"]],
        "volume": ["controlType": "attenuation", "level": 0.5, "muted": false, "stepInterval": 0.05],
        "isActiveInput": true,
    ])

    @Test(
        arguments: [
            ("applications", .null), ("applications", [:]), ("applications", [.null]), ("volume", .null),
            ("volume", nil),
            ("volume", []), ("volume", [:]), ("volume", ["level": .null, "muted": "x"]), ("isActiveInput", .null),
        ] as [(String, JSONValue?)])
    func aDeviceKeepsWhatItDoesNotTell(name: String, value: JSONValue?) {
        var told = Self.receiver
        told.json[name] = value
        let status = told.completed(by: Self.receiver)
        #expect(status.applications == Self.receiver.applications)
        #expect(status.volume?.level == 0.5 && status.volume?.muted == false)
        #expect(status.volume?.controlType == .attenuation && status.volume?.stepInterval == 0.05)
        #expect(status.isActiveInput == true)
    }

    @Test(arguments: [nil, []] as [JSONValue?])
    func appsThatAreLeftOutDoNotRun(applications: JSONValue?) {
        var told = Self.receiver
        told.json["applications"] = applications
        #expect(told.completed(by: Self.receiver).applications.isEmpty)
    }
}
