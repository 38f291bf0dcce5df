import CastWire
import Testing

@Suite struct ReceiverStatusTests {
    /// The sample of the protocol notes, 5.2, with unknown fields.
    private static let text = #"""
        {"type":"RECEIVER_STATUS","requestId":1,"status":{"applications":[{"appId":"2C6A6E3D","appType":"ANDROID_TV","universalAppId":"233637DE","displayName":"YouTube","iconUrl":"","isIdleScreen":false,"launchedFromCloud":false,"senderConnected":true,"namespaces":[{"name":"urn:x-cast:com.google.cast.cac","v":2},{"name":"urn:x-cast:com.google.cast.media"}],"sessionId":"s-1","transportId":"t-1","statusText":"Ready","appImages":[]}],"isActiveInput":true,"isStandBy":false,"userEq":{},"volume":{"controlType":"attenuation","level":0.949999988,"muted":false,"stepInterval":0.05,"zone":1},"later":{}},"z":0}
        """#

    @Test func statusIsRead() throws {
        let payload = try ReceiverStatusPayload(text: Self.text)
        #expect(payload.requestID == 1)
        let status = try #require(payload.status)
        #expect(status.isActiveInput == true)
        #expect(status.isStandBy == false)
        #expect(status.volume?.level == 0.949999988)
        #expect(status.volume?.muted == false)
        #expect(status.volume?.controlType == .attenuation)
        #expect(status.volume?.stepInterval == 0.05)
        let app = try #require(status.applications.first)
        #expect(app.appID == .youTubeAndroidTV)
        #expect(app.universalAppID == .youTube)
        #expect(app.appType == "ANDROID_TV")
        #expect(app.displayName == "YouTube")
        #expect(app.statusText == "Ready")
        #expect(app.iconURL == "")
        #expect(app.sessionID == "s-1")
        #expect(app.transportID == "t-1")
        #expect(app.senderConnected == true)
        #expect(!app.isIdleScreen)
        #expect(app.namespaces == [.cac, .media])
        #expect(payload.text == Self.text)
    }

    @Test func applicationsAreFoundByEitherId() throws {
        let status = try #require(try ReceiverStatusPayload(text: Self.text).status)
        #expect(status.application(.youTube)?.sessionID == "s-1")
        #expect(status.application(.youTubeAndroidTV)?.sessionID == "s-1")
        #expect(status.application(.netflix) == nil)
        #expect(status.application(sessionID: "s-1") != nil)
        #expect(status.application(sessionID: "t-1") == nil)
        #expect(status.application(transportID: "t-1") != nil)
        #expect(status.application(transportID: "s-1") == nil)
    }

    @Test func changesKeepTheRest() throws {
        var payload = try ReceiverStatusPayload(text: Self.text)
        var status = try #require(payload.status)
        status.volume?.level = 0.5
        var app = try #require(status.applications.first)
        app.statusText = "Playing"
        app.namespaces = [.cac, .media, .broadcast]
        status.applications = [app]
        payload.status = status
        payload.requestID = .spontaneous
        let expected = Self.text
            .replacing("0.949999988", with: "0.5")
            .replacing("\"Ready\"", with: "\"Playing\"")
            .replacing(#"cast.media"}]"#, with: #"cast.media"},{"name":"urn:x-cast:com.google.cast.broadcast"}]"#)
            .replacing(#""requestId":1"#, with: #""requestId":0"#)
        #expect(payload.text == expected)
    }

    @Test func idleDevicesHaveNoApplicationOrBackdrop() throws {
        #expect(try ReceiverStatus(text: "{}").applications.isEmpty)
        #expect(try ReceiverStatus(text: #"{"applications":[]}"#).applications.isEmpty)
        #expect(try ReceiverStatus(text: #"{"applications":[null,7,{}]}"#).applications.count == 1)
        #expect(try ReceiverApplication(text: #"{"appId":"E8C28D3C"}"#).isIdleScreen)
        #expect(try ReceiverApplication(text: #"{"appId":"X","isIdleScreen":true}"#).isIdleScreen)
        #expect(try !ReceiverApplication(text: #"{"appId":"X"}"#).isIdleScreen)
        #expect(
            try ReceiverApplication(text: #"{"namespaces":["a",{"name":"b"},{"n":1},3]}"#).namespaces == ["a", "b"])
        let status = try ReceiverStatus(text: #"{"volume":{"controlType":"odd"}}"#)
        #expect(status.isStandBy == nil)
        #expect(status.volume?.controlType == nil)
    }

    /// What Chromium demands of a session, and what small senders read.
    @Test func builtStatusSatisfiesSenders() throws {
        let app = ReceiverApplication(
            appID: .defaultMediaReceiver, displayName: "Default Media Receiver", sessionID: "s-1", namespaces: [.media])
        let status = ReceiverStatus(
            application: app,
            volume: ReceiverVolume(level: 0.5, muted: false, controlType: .attenuation, stepInterval: 0.05))
        let payload = ReceiverStatusPayload(status)
        #expect(
            payload.text == #"""
                {"type":"RECEIVER_STATUS","requestId":0,"status":{"applications":[{"appId":"CC1AD845","appType":"WEB","displayName":"Default Media Receiver","iconUrl":"","isIdleScreen":false,"launchedFromCloud":false,"namespaces":[{"name":"urn:x-cast:com.google.cast.media"}],"senderConnected":true,"sessionId":"s-1","statusText":"Default Media Receiver","transportId":"s-1","universalAppId":"CC1AD845"}],"isActiveInput":true,"isStandBy":false,"userEq":{},"volume":{"controlType":"attenuation","level":0.5,"muted":false,"stepInterval":0.05}}}
                """#)
        #expect(ReceiverStatusPayload(payload.payload)?.status == status)
        #expect(ReceiverStatusPayload(status, requestID: 8).requestID == 8)
    }

    @Test func builtIdleStatusHasNoApplications() {
        var status = ReceiverStatus(
            application: nil, volume: ReceiverVolume(level: 1), isActiveInput: nil, isStandBy: nil)
        #expect(status.text == #"{"userEq":{},"volume":{"level":1}}"#)
        status.applications = [ReceiverApplication(json: [:])]
        status.applications = []
        #expect(status.json["applications"] == nil)
    }

    @Test func otherMessagesHaveNoStatus() throws {
        #expect(try ReceiverStatusPayload(text: #"{"type":"MEDIA_STATUS","status":{}}"#).status == nil)
        #expect(try ReceiverStatusPayload(text: #"{"type":"RECEIVER_STATUS","status":[]}"#).status == nil)
        #expect(try ReceiverStatusPayload(text: #"{"type":"RECEIVER_STATUS"}"#).status == nil)
    }
}
