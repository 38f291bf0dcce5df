import CastWire
import GatewayCore
import NIOCore
import Testing

@testable import BuiltInReceiver

@Suite struct PlatformStatusTests {
    @Test func tellsEverythingAboutARunningApp() throws {
        var bench = PlatformBench()
        _ = bench.launch()
        let actions = bench.send(["type": "GET_STATUS", "requestId": 2])
        #expect(actions.summaries == ["sender-0@c1 RECEIVER_STATUS 2"])
        let expected: JSONObject = [
            "applications": [
                [
                    "appId": "CC1AD845", "appType": "WEB", "displayName": "Default Media Receiver", "iconUrl": "",
                    "isIdleScreen": false, "launchedFromCloud": false,
                    "namespaces": [
                        ["name": "urn:x-cast:com.google.cast.cac"],
                        ["name": "urn:x-cast:com.google.cast.debugoverlay"],
                        ["name": "urn:x-cast:com.google.cast.media"],
                        ["name": "urn:x-cast:com.google.cast.broadcast"],
                    ],
                    "senderConnected": false, "sessionId": "session-1", "statusText": "Default Media Receiver",
                    "transportId": "session-1", "universalAppId": "CC1AD845",
                ]
            ],
            "isActiveInput": true, "isStandBy": false, "userEq": [:],
            "volume": [
                "controlType": "attenuation", "level": 0.5, "muted": false, "stepInterval": 0.05,
            ],
        ]
        #expect(actions.first?.status?.json == expected)
    }

    @Test func listsNothingWhileNothingRuns() {
        var bench = PlatformBench()
        let status = bench.send(["type": "GET_STATUS", "requestId": 2]).first?.status
        #expect(status != nil)
        #expect(status?.json["applications"] == nil)
    }

    @Test func audioDevicesHaveNoInput() {
        var bench = PlatformBench(hasScreen: false)
        let status = bench.send(["type": "GET_STATUS", "requestId": 2]).first?.status
        #expect(status?.json["isActiveInput"] == nil)
        #expect(status?.json["isStandBy"] == nil)
    }

    @Test(arguments: [#"7"#, #""abc""#, #"0"#, #"7.0"#, #"-3"#])
    func repeatsTheIDAsItWas(literal: String) throws {
        var bench = PlatformBench()
        let id = try JSONReader.read(literal)
        let actions = bench.send(["type": "GET_STATUS", "requestId": id])
        #expect(actions.first?.json["requestId"]?.text == literal)
    }

    @Test(arguments: [nil, .null, [1], ["a": 1], true, .string(String(repeating: "x", count: 300))] as [JSONValue?])
    func answersNothingThatHasNoID(id: JSONValue?) {
        var bench = PlatformBench()
        for type in ["GET_STATUS", "GET_APP_AVAILABILITY", "NONSENSE", "STOP"] {
            var json: JSONObject = ["type": .string(type), "appId": ["CC1AD845"]]
            json["requestId"] = id
            #expect(bench.send(json).isEmpty)
        }
    }

    @Test(
        arguments: [["type": "FLY", "requestId": 4], ["requestId": 4], ["type": 12, "requestId": 4]] as [JSONObject])
    func refusesUnknownRequests(json: JSONObject) {
        var bench = PlatformBench()
        let actions = bench.send(json)
        #expect(actions.summaries == ["sender-0@c1 INVALID_REQUEST 4"])
        #expect(actions.first?.json.string("reason") == "INVALID_COMMAND")
    }

    @Test func answersWhichAppsThereAre() {
        var bench = PlatformBench(apps: [
            VirtualAppConfiguration(id: "CC1AD845") { $0.player = .simulated }, VirtualAppConfiguration(id: "0F5096E8"),
        ])
        let list = bench.send([
            "type": "GET_APP_AVAILABILITY", "requestId": 3,
            "appId": ["CC1AD845", "0F5096E8", "85CDB22F", "CC1AD845", 5, "ABCD1234"],
        ])
        let expected: JSONObject = [
            "CC1AD845": "APP_AVAILABLE", "0F5096E8": "APP_UNAVAILABLE", "85CDB22F": "APP_UNAVAILABLE",
            "ABCD1234": "APP_UNAVAILABLE",
        ]
        #expect(list.first?.json.object("availability") == expected)
        #expect(list.first?.json.string("responseType") == "GET_APP_AVAILABILITY")
        #expect(list.first?.json.int("requestId") == 3)

        let single = bench.send(["type": "GET_APP_AVAILABILITY", "requestId": 4, "appId": "CC1AD845"])
        #expect(single.first?.json.object("availability") == ["CC1AD845": "APP_AVAILABLE"])
    }

    @Test func availabilityOfVeryManyAppsStillFitsIntoAFrame() throws {
        var bench = PlatformBench()
        let ids = (0..<9000).map { JSONValue.string("a\($0)") } + [.string(String(repeating: "b", count: 20_000))]
        let actions = bench.send(["type": "GET_APP_AVAILABILITY", "requestId": 3, "appId": .array(ids)])
        guard case .send(let message, _)? = actions.first else { return #expect(Bool(false)) }
        #expect(message.payload.bytes.readableBytes < 60_000)
    }

    @Test func answersOnlyTheAskingSenderFromThePlatform() {
        var bench = PlatformBench()
        let actions = bench.send(
            ["type": "GET_STATUS", "requestId": 1], from: "1795237321379", to: "*", on: PlatformBench.second)
        guard case .send(let message, let connection)? = actions.first else { return #expect(Bool(false)) }
        #expect(message.source == .platformReceiver)
        #expect(message.destination == "1795237321379")
        #expect(connection == PlatformBench.second)
    }

    @Test func ignoresSendersThatAreNone() {
        var bench = PlatformBench()
        let long = EndpointID(rawValue: String(repeating: "s", count: 300))
        for sender in ["*", "", long] as [EndpointID] {
            #expect(bench.send(["type": "GET_STATUS", "requestId": 1], from: sender).isEmpty)
            #expect(!bench.connect(sender).accepted)
        }
    }

    @Test(arguments: ["[]", "nonsense", "", "{\"type\":", "7"])
    func ignoresWhatIsNoObject(text: String) {
        var bench = PlatformBench()
        for payload in [CastMessage.Payload.text(text), .binary(ByteBuffer(string: text))] {
            let message = CastMessage(
                source: "sender-0", destination: .platformReceiver, namespace: .receiver, payload: payload)
            #expect(bench.platform.handle(message, from: PlatformBench.first, at: bench.now).isEmpty)
        }
    }
}
