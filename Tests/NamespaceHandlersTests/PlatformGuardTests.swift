import CastWire
import GatewayCore
import GatewayTesting
import Testing

@testable import NamespaceHandlers

@Suite struct ReceiverHandlerTests {
    private func bench() throws -> RouterBench {
        try RouterBench.builtIn(relayedApps: ["test": ["CC1AD845", "233637DE"]])
    }

    @Test func withoutAListEverythingGoesOnAsItCame() throws {
        let bench = try RouterBench.builtIn()
        for text in [
            #"{ "type":"LAUNCH","requestId":1,"appId":"ABCD1234" }"#,
            #"{"type":"GET_APP_AVAILABILITY","requestId":1,"appId":["A","B"]}"#, #"{"type":"GET_STATUS"}"#,
        ] {
            #expect(bench.outcome(text, in: .receiver) == .forwarded(text))
        }
    }

    @Test func theListIsOneDevicesAlone() throws {
        let bench = try RouterBench.builtIn(relayedApps: ["other": []])
        let launch = #"{"type":"LAUNCH","requestId":1,"appId":"ABCD1234"}"#
        #expect(bench.outcome(launch, in: .receiver) == .forwarded(launch))
    }

    @Test func anAppThatIsOfferedIsLaunched() throws {
        let text = #"{ "type":"LAUNCH","requestId":1,"appId":"CC1AD845" }"#
        #expect(try self.bench().outcome(text, in: .receiver) == .forwarded(text))
    }

    @Test func anotherIsNotFound() throws {
        let outcome = try self.bench().outcome(
            #"{"type":"LAUNCH","requestId":5,"appId":"ABCD1234"}"#, in: .receiver)
        #expect(outcome.answer?.destination == "sender-7")
        #expect(outcome.answer?.payload == LaunchError(.notFound, requestID: 5).payload)
        #expect(
            try self.bench().outcome(#"{"type":"LAUNCH","appId":"ABCD1234"}"#, in: .receiver) == .swallowed)
    }

    /// The last of two names counts, for the gateway as for the device.
    @Test func aNameThatStandsTwiceIsNoWayAround() throws {
        let outcome = try self.bench().outcome(
            #"{"type":"LAUNCH","requestId":5,"appId":"CC1AD845","appId":"ABCD1234"}"#, in: .receiver)
        #expect(outcome.answerJSON?.string("type") == "LAUNCH_ERROR")
    }

    @Test(arguments: [
        #""appId":5"#, #""appId":["CC1AD845"]"#, #""appId":null"#, #""appId":"CC1AD845","appId":"CC1AD845""#, #""x":1"#,
        #""appId":"CC1AD845\u0000""#, #""appId":"cc1ad845""#, #""\u0061ppId":"ABCD1234""#,
    ])
    func anAppThatIsNotClearIsNotLaunched(member: String) throws {
        let outcome = try self.bench().outcome(#"{"type":"LAUNCH","requestId":5,\#(member)}"#, in: .receiver)
        #expect(outcome.answerJSON?.string("type") == "LAUNCH_ERROR")
        #expect(
            try self.bench().outcome(#"{"type":"launch","requestId":5,\#(member)}"#, in: .receiver).text == nil
                || member == #""x":1"#)
    }

    @Test func aRequestThatIsNotClearIsNotPassedOn() throws {
        for text in [
            #"{"type":"LAUNCH","type":"GET_STATUS","requestId":5,"appId":"ABCD1234"}"#,
            #"{"type":"GET_APP_AVAILABILITY","requestId":5,"appId":[5]}"#,
            #"{"type":"GET_APP_AVAILABILITY","requestId":5,"appId":["CC1AD845"],"appId":["CC1AD845"]}"#,
        ] {
            #expect(try self.bench().outcome(text, in: .receiver).answerJSON?.string("reason") == "INVALID_PARAMS")
        }
    }

    /// A device may read what this gateway does not, so it gets none of that.
    @Test(arguments: [#"{"type":"LAUNCH","appId":"ABCD1234",}"#, #"{'type':'LAUNCH'}"#, "LAUNCH"])
    func whatCannotBeReadIsNotPassedOn(text: String) throws {
        #expect(try self.bench().outcome(text, in: .receiver) == .swallowed)
        #expect(try RouterBench.builtIn().outcome(text, in: .receiver) == .swallowed)
    }

    @Test func aRequestWithoutATypeIsAnswered() throws {
        let outcome = try self.bench().outcome(#"{"requestId":1}"#, in: .receiver)
        #expect(outcome.answerJSON?.string("type") == "INVALID_REQUEST")
        #expect(outcome.answerJSON?["requestId"] == 1)
    }

    @Test func onlyWhatIsOfferedIsAskedAbout() throws {
        let outcome = try self.bench().outcome(
            #"{"type":"GET_APP_AVAILABILITY","requestId":2,"appId":["CC1AD845","ABCD1234"]}"#, in: .receiver)
        #expect(outcome.text == #"{"type":"GET_APP_AVAILABILITY","requestId":2,"appId":["CC1AD845"]}"#)
    }

    @Test func whatIsNotOfferedIsNotAvailable() throws {
        let outcome = try self.bench().outcome(
            #"{"type":"GET_APP_AVAILABILITY","requestId":2,"appId":["ABCD1234"]}"#, in: .receiver)
        let message = try #require(outcome.answer)
        let answer = try #require(AppAvailability(message.payload))
        #expect(answer.isAvailable("ABCD1234") == false)
        #expect(answer.requestID == 2)
    }

    @Test func askingOnlyForWhatIsOfferedStaysAsItCame() throws {
        let text = #"{ "type":"GET_APP_AVAILABILITY","requestId":2,"appId":["CC1AD845"] }"#
        #expect(try self.bench().outcome(text, in: .receiver) == .forwarded(text))
    }

    private func status(_ apps: String) -> String {
        #"{"type":"RECEIVER_STATUS","requestId":0,"status":{"applications":[\#(apps)],"volume":{"level":0.50}}}"#
    }

    @Test func aForeignAppIsHidden() throws {
        let outcome = try self.bench().outcome(
            self.status(#"{"appId":"CA5E8412","transportId":"web-9","sessionId":"s"}"#), in: .receiver,
            from: .platformReceiver, to: .broadcast, direction: .toSender)
        #expect(outcome.text == #"{"type":"RECEIVER_STATUS","requestId":0,"status":{"volume":{"level":0.50}}}"#)
    }

    @Test(arguments: [
        #"{"appId":"CC1AD845","transportId":"web-9"}"#, #"{"appId":"E8C28D3C","isIdleScreen":true}"#,
        #"{"appId":"2C6A6E3D","universalAppId":"233637DE"}"#, "",
    ])
    func whatIsOfferedStaysAsItCame(app: String) throws {
        let text = self.status(app)
        let outcome = try self.bench().outcome(
            text, in: .receiver, from: .platformReceiver, to: .broadcast, direction: .toSender)
        #expect(outcome == .forwarded(text))
    }

    @Test func withoutAListNothingIsHidden() throws {
        let text = self.status(#"{"appId":"CA5E8412"}"#)
        let outcome = try RouterBench.builtIn().outcome(
            text, in: .receiver, from: .platformReceiver, to: .broadcast, direction: .toSender)
        #expect(outcome == .forwarded(text))
    }

    @Test func conforms() {
        let handler = ReceiverHandler(relayedApps: ["test": ["CC1AD845"]])
        let types = ReceiverRequest.Kind.allCases.map(\.rawValue)
        #expect(HandlerConformance(handler, types: types).violations() == [])
    }

    /// As long as a request may be, its answer must fit into a message.
    @Test func ofManyAppsAsManyAreAnsweredAsFit() throws {
        let ids = (0..<5_000).map { JSONValue.string("APP\($0)") }
        let request = ReceiverRequest(
            json: ["type": "GET_APP_AVAILABILITY", "requestId": 2, "appId": .array(ids + ids)])
        let outcome = try self.bench().outcome(JSONValue.object(request.json).text, in: .receiver)
        let message = try #require(outcome.answer)
        #expect(message.serializedLength < 10_000)
        let answer = try #require(AppAvailability(message.payload))
        #expect(answer.unavailableApps.count == AppAvailability.maximumApps)
    }
}
