import CastWire
import GatewayCore
import GatewayTesting
import NIOEmbedded
import Testing

@testable import NamespaceHandlers

/// What `apps` of a virtual device and what cannot be read come to, with all handlers and with none.
@Suite struct PlatformGuardTests {
    private static let offered: Set<String> = ["CC1AD845", "233637DE"]

    private func bench() throws -> RouterBench {
        try RouterBench.builtIn(relayedApps: ["test": Self.offered])
    }

    /// A router whose handlers are those that a test brings; the guard is the same.
    private static func bare(_ handlers: [any MessageHandler] = []) throws -> RouterBench {
        try RouterBench(handlers, guardedBy: PlatformGuard(relayedApps: ["test": Self.offered]))
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

    @Test func theReceiverHandlerConforms() {
        let types = ReceiverRequest.Kind.allCases.map(\.rawValue)
        #expect(HandlerConformance(ReceiverHandler(), types: types).violations() == [])
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

    // MARK: Without handlers, and against them

    private static let forbidden = #"{"type":"LAUNCH","requestId":5,"appId":"ABCD1234"}"#
    private static let allowed = #"{"type":"LAUNCH","requestId":5,"appId":"CC1AD845"}"#

    @Test func withoutAnyHandlerTheSameHolds() throws {
        let bench = try Self.bare()
        #expect(bench.outcome(Self.allowed, in: .receiver) == .forwarded(Self.allowed))
        #expect(
            bench.outcome(Self.forbidden, in: .receiver).answer?.payload
                == LaunchError(.notFound, requestID: 5).payload)
        #expect(bench.outcome("LAUNCH", in: .receiver) == .swallowed)
        #expect(bench.outcome("LOAD", in: .media, to: "web-1") == .swallowed)
        #expect(bench.outcome("hello", in: .multizone) == .swallowed)
        #expect(bench.router.counts.dropped == ["no message type": 1])
        let status = self.status(#"{"appId":"CA5E8412","transportId":"web-9"}"#)
        #expect(
            bench.outcome(status, in: .receiver, from: .platformReceiver, to: .broadcast, direction: .toSender).text
                == #"{"type":"RECEIVER_STATUS","requestId":0,"status":{"volume":{"level":0.50}}}"#)
    }

    /// Whatever a handler turns a launch into is judged as if a sender had said it.
    @Test(arguments: RoutingPhase.allCases.filter { $0 != .observe })
    func whatAHandlerRewritesIsJudgedAgain(phase: RoutingPhase) throws {
        let handler = FunctionHandler("x", [Claim(.exact(.receiver), phase: phase)]) { _, _ in
            let other: JSONObject = ["type": "LAUNCH", "requestId": 5, "appId": "ABCD1234"]
            return phase == .filter ? .rewrite(other) : .forward(other)
        }
        let bench = try Self.bare([handler])
        #expect(bench.outcome(Self.allowed, in: .receiver).answerJSON?.string("reason") == "NOT_FOUND")
        #expect(bench.output.forwardedTexts.isEmpty)
    }

    /// A handler may make of a forbidden launch one that is allowed.
    @Test func whatAFilterMendsGoesOn() throws {
        let handler = FunctionHandler("x", [Claim(.exact(.receiver), phase: .filter)]) { _, _ in
            .rewrite(["type": "LAUNCH", "requestId": 5, "appId": "CC1AD845"])
        }
        #expect(try Self.bare([handler]).outcome(Self.forbidden, in: .receiver).text == Self.allowed)
    }

    @Test func anOwnerDoesNotSeeWhatIsRefused() throws {
        let handler = FunctionHandler("x", [Claim(.exact(.receiver))]) { _, _ in .drop("seen") }
        let bench = try Self.bare([handler])
        _ = bench.outcome(Self.forbidden, in: .receiver)
        #expect(bench.router.counts.dropped.isEmpty)
        _ = bench.outcome(Self.allowed, in: .receiver)
        #expect(bench.router.counts.dropped == ["seen": 1])
    }

    /// A verdict that comes later is judged as one that comes at once.
    @Test func aDeferredVerdictIsJudged() throws {
        let handler = DeferringHandler("x", [Claim(.exact(.receiver))])
        let bench = try Self.bare([handler])
        _ = bench.outcome(Self.allowed, in: .receiver)
        handler.deferrals[0].complete(with: .forward(["type": "LAUNCH", "requestId": 5, "appId": "ABCD1234"]))
        bench.loop.run()
        #expect(bench.output.forwardedTexts.isEmpty)
        #expect(bench.router.counts.rejected == ["NOT_FOUND": 1])
    }

    @Test func whatAnEffectSendsIsJudged() throws {
        let quiz: Namespace = "urn:x-cast:com.example.quiz"
        let handler = FunctionHandler("x", [Claim(.exact(quiz))]) { message, _ in
            let app = message.message.payload.text ?? ""
            return Verdict.handled.sendToReceiver(
                ["type": "LAUNCH", "requestId": 5, "appId": .string(app)], namespace: .receiver)
        }
        let bench = try Self.bare([handler])
        bench.route("ABCD1234", in: quiz)
        #expect(bench.output.steps.isEmpty)
        #expect(bench.router.counts.dropped == ["NOT_FOUND": 1])
        bench.route("CC1AD845", in: quiz)
        #expect(bench.output.steps.count == 1)
    }

    /// A handler that answers the device says something to the receiver, too.
    @Test func whatAHandlerAnswersTheDeviceIsJudged() throws {
        let handler = FunctionHandler("x", [Claim(.exact(.receiver), directions: [.toSender])]) { _, _ in
            .reply(["type": "LAUNCH", "requestId": 5, "appId": "ABCD1234"])
        }
        let bench = try Self.bare([handler])
        bench.route(self.status(""), in: .receiver, from: .platformReceiver, to: .broadcast, direction: .toSender)
        #expect(bench.output.steps.isEmpty)
    }

    @Test func anAppThatAHandlerPutsIntoAStatusIsHidden() throws {
        let handler = FunctionHandler("x", [Claim(.exact(.receiver), directions: [.toSender])]) { _, _ in
            .forward([
                "type": "RECEIVER_STATUS", "requestId": 0, "status": ["applications": [["appId": "CA5E8412"]]],
            ])
        }
        let outcome = try Self.bare([handler]).outcome(
            self.status(""), in: .receiver, from: .platformReceiver, to: .broadcast, direction: .toSender)
        #expect(outcome.text?.contains("CA5E8412") == false)
    }

    /// However often it is refused: the guard is no handler that fails.
    @Test func nothingSuspendsIt() throws {
        let bench = try Self.bare()
        for _ in 0..<50 { #expect(bench.outcome(Self.forbidden, in: .receiver).text == nil) }
        #expect(bench.router.suspendedHandlers.isEmpty)
        #expect(bench.registry.summaries.isEmpty)
    }

    @Test func customNamespacesAndWhatTheDeviceSaysOfMediaCostNothing() throws {
        let bench = try Self.bare()
        let quiz = CastMessage.test("x", in: "urn:x-cast:com.example.quiz")
        let media = CastMessage.test("x", in: .media)
        #expect(bench.router.forwardsUnseen(quiz, direction: .toReceiver))
        #expect(bench.router.forwardsUnseen(quiz, direction: .toSender))
        #expect(bench.router.forwardsUnseen(media, direction: .toSender))
        #expect(!bench.router.forwardsUnseen(media, direction: .toReceiver))
    }

    @Test func whatItGoesByIsExplained() {
        let platform = PlatformGuard(relayedApps: ["lobby": ["B", "A"], "hall": []])
        #expect(
            platform.explanation(of: .receiver, .toReceiver, device: "lobby")
                == ["refuses messages without a type", "launches the apps A B alone"])
        #expect(platform.explanation(of: .receiver, .toSender, device: "hall") == ["shows no apps alone"])
        #expect(platform.explanation(of: .multizone, .toReceiver, device: "x") == ["drops messages without a type"])
        #expect(platform.explanation(of: .receiver, .toSender, device: "x").isEmpty)
    }
}
