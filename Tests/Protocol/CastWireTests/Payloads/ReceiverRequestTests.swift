import CastWire
import Testing

@Suite struct ReceiverRequestTests {
    private static let launch = #"""
        {"type":"LAUNCH","requestId":7,"appId":"ABCD1234","language":"en-US","supportedAppTypes":["ANDROID_TV","WEB"],"appParams":{"requiredFeatures":["STREAM_TRANSFER"],"launchCheckerParams":{"credentialsData":{"credentials":"{\"userId\":\"u42\"}","credentialsType":"web","later":1},"more":2}},"x":null}
        """#

    @Test func launchIsRead() throws {
        let launch = try ReceiverRequest(text: Self.launch)
        #expect(launch.kind == .launch)
        #expect(launch.requestID == 7)
        #expect(launch.appID == "ABCD1234")
        #expect(launch.language == "en-US")
        #expect(launch.supportedAppTypes == ["ANDROID_TV", "WEB"])
        #expect(launch.appParams?.objectValue?.array("requiredFeatures") == ["STREAM_TRANSFER"])
        #expect(launch.credentials?.credentials == #"{"userId":"u42"}"#)
        #expect(launch.credentials?.credentialsType == "web")
        #expect(launch.text == Self.launch)
    }

    @Test func smallLaunchHasDefaults() throws {
        let launch = try ReceiverRequest(text: #"{"type":"LAUNCH","requestId":5,"appId":"CC1AD845"}"#)
        #expect(launch.appID == .defaultMediaReceiver)
        #expect(launch.supportedAppTypes == ["WEB"])
        #expect(launch.language == nil)
        #expect(launch.appParams == nil)
        #expect(launch.credentials == nil)
        #expect(ReceiverRequest.launch(.defaultMediaReceiver, requestID: 5).json["appId"] == "CC1AD845")
    }

    @Test func credentialsAtTheTopWin() throws {
        var launch = try ReceiverRequest(text: Self.launch)
        launch.json["credentials"] = "top"
        #expect(launch.credentials?.credentials == "top")
        #expect(launch.credentials?.credentialsType == "web")
        launch.json["credentialsType"] = "android"
        #expect(launch.credentials?.credentialsType == "android")
    }

    @Test func settingCredentialsKeepsOtherParameters() throws {
        var launch = try ReceiverRequest(text: Self.launch)
        launch.json["credentials"] = "top"
        launch.credentials = .init(credentials: "token", credentialsType: "cloud")
        #expect(launch.credentials == .init(credentials: "token", credentialsType: "cloud"))
        let expected = Self.launch
            .replacing(#"{\"userId\":\"u42\"}"#, with: "token")
            .replacing(#""credentialsType":"web""#, with: #""credentialsType":"cloud""#)
        #expect(launch.text == expected)

        launch.credentials = nil
        #expect(launch.credentials == nil)
        #expect(
            launch.appParams?.text
                == #"{"requiredFeatures":["STREAM_TRANSFER"],"launchCheckerParams":{"more":2}}"#)
    }

    @Test func settingCredentialsMakesTheirPlace() throws {
        var launch = ReceiverRequest.launch("ABCD1234", requestID: 1)
        launch.credentials = nil
        #expect(launch.appParams == nil)
        launch.credentials = .init(credentials: "token", credentialsType: "web")
        #expect(
            launch.text
                == #"{"type":"LAUNCH","requestId":1,"appId":"ABCD1234","appParams":{"launchCheckerParams":{"credentialsData":{"credentials":"token","credentialsType":"web"}}}}"#
        )
    }

    @Test func parametersThatAreNoObjectAreKept() {
        var launch = ReceiverRequest.launch("ABCD1234", requestID: 1)
        launch.appParams = "opaque"
        launch.credentials = .init(credentials: "token", credentialsType: "web")
        #expect(launch.appParams == "opaque")
        #expect(launch.credentials == .init(credentials: "token", credentialsType: "web"))
        #expect(launch.json["credentials"] == "token")
    }

    @Test func credentialsAreNotDescribed() {
        let credentials = ReceiverRequest.LaunchCredentials(credentials: "token", credentialsType: "web")
        #expect("\(credentials)" == "credentials of type web")
        #expect(!String(reflecting: credentials).contains("token"))
    }

    @Test func availabilityIsAskedOfAListOrOne() throws {
        let list = try ReceiverRequest(
            text: #"{"type":"GET_APP_AVAILABILITY","requestId":2,"appId":["0F5096E8",3,"CC1AD845"]}"#)
        #expect(list.kind == .getAppAvailability)
        #expect(list.appIDs == [.mirroring, .defaultMediaReceiver])
        #expect(list.appID == nil)
        #expect(try ReceiverRequest(text: #"{"appId":"CC1AD845"}"#).appIDs == [.defaultMediaReceiver])
        #expect(try ReceiverRequest(text: #"{"appId":{}}"#).appIDs.isEmpty)
        #expect(
            ReceiverRequest.getAppAvailability(of: [.mirroring], requestID: 2).text
                == #"{"type":"GET_APP_AVAILABILITY","requestId":2,"appId":["0F5096E8"]}"#)
    }

    @Test func stopMayNameASession() throws {
        #expect(try ReceiverRequest(text: #"{"type":"STOP","requestId":9,"sessionId":"s-1"}"#).sessionID == "s-1")
        #expect(ReceiverRequest.stop(sessionID: nil, requestID: 9).text == #"{"type":"STOP","requestId":9}"#)
        #expect(
            ReceiverRequest.stop(sessionID: "s-1", requestID: 9).text
                == #"{"type":"STOP","requestId":9,"sessionId":"s-1"}"#)
        #expect(ReceiverRequest.stop(sessionID: nil, requestID: 9).kind == .stop)
    }

    static let volumes: [(text: String, level: Double?, muted: Bool?)] = [
        (#"{"level":0.35}"#, 0.35, nil), (#"{"muted":true}"#, nil, true), (#"{"level":1,"muted":false}"#, 1, false),
        (#"{"level":1.7}"#, 1, nil), (#"{"level":-0.1}"#, 0, nil), (#"{"level":1e999}"#, 1, nil),
        (#"{"level":-1e999}"#, 0, nil), (#"{"level":"0.5"}"#, nil, nil), ("{}", nil, nil),
    ]

    @Test(arguments: volumes.indices) func partsOfAVolumeAreRead(_ index: Int) throws {
        let sample = Self.volumes[index]
        let request = try ReceiverRequest(text: #"{"type":"SET_VOLUME","requestId":10,"volume":\#(sample.text)}"#)
        #expect(request.kind == .setVolume)
        #expect(request.volume?.level == sample.level)
        #expect(request.volume?.muted == sample.muted)
    }

    @Test func volumeIsWrittenInParts() {
        #expect(
            ReceiverRequest.setVolume(ReceiverVolume(level: 0.25), requestID: 10).text
                == #"{"type":"SET_VOLUME","requestId":10,"volume":{"level":0.25}}"#)
        #expect(ReceiverVolume(muted: true).text == #"{"muted":true}"#)
    }

    @Test func requestIDMayBeTextOrAbsent() throws {
        #expect(try ReceiverRequest(text: #"{"type":"GET_STATUS","requestId":"7"}"#).requestID?.json == "7")
        #expect(try ReceiverRequest(text: #"{"type":"GET_STATUS"}"#).requestID == nil)
        #expect(try ReceiverRequest(text: #"{"type":"NEW_THING"}"#).kind == nil)
        #expect(ReceiverRequest.getStatus(requestID: 4).kind == .getStatus)
    }
}
