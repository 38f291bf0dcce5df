import CastWire
import GatewayConfig
import GatewayCore
import GatewayTesting
import Testing

@testable import NamespaceHandlers

@Suite struct RoutingRulesHandlerTests {
    private static let session = SessionFacts(
        appID: "ABCD1234", sessionID: "s", transportID: "web-1", displayName: "App", namespaces: [])

    private func isHit(
        _ condition: RoutingCondition, _ text: String = #"{"type":"LAUNCH","requestId":5,"appId":"CC1AD845"}"#,
        in namespace: Namespace = .receiver, address: String? = "192.0.2.7", session: SessionFacts? = nil
    ) throws -> Bool {
        let rule = RoutingRule(name: "rule", condition: condition, action: .drop)
        let bench = try RouterBench([RoutingRulesHandler(rules: [rule])])
        return bench.outcome(text, in: namespace, address: address, session: session) == .swallowed
    }

    @Test(arguments: [
        ("urn:x-cast:com.google.cast.receiver", true), ("urn:x-cast:com.google.cast.media", false),
        ("urn:x-cast:com.google.*", true), ("urn:x-cast:com.example.*", false),
    ])
    func namespace(pattern: String, hits: Bool) throws {
        let namespace = try #require(NamespacePattern(pattern))
        let condition = RoutingCondition(namespace: [namespace])
        #expect(try self.isHit(condition) == hits)
    }

    @Test(arguments: [("LAUNCH", true), ("STOP", false), ("launch", false)])
    func type(type: String, hits: Bool) throws {
        #expect(try self.isHit(RoutingCondition(type: [Glob(type)])) == hits)
    }

    @Test func typeOfATextWithoutOne() throws {
        #expect(try !self.isHit(RoutingCondition(type: ["LAUNCH"]), "hello"))
    }

    /// The name may be written with escapes, and the last of two counts.
    @Test(arguments: [#"{"\u0074ype":"LAUNCH"}"#, #"{"type":"GET_STATUS","type":"LAUNCH"}"#])
    func typeInDisguise(text: String) throws {
        #expect(try self.isHit(RoutingCondition(type: ["LAUNCH"]), text))
    }

    @Test(arguments: [("test", true), ("lobby", false)])
    func device(device: String, hits: Bool) throws {
        #expect(try self.isHit(RoutingCondition(device: [Glob(device)])) == hits)
    }

    @Test(arguments: [
        ("192.0.2.0/24", "192.0.2.7", true), ("192.0.2.0/24", "192.0.3.7", false), ("192.0.2.7", "192.0.2.7", true),
        ("2001:db8::/32", "2001:db8::7", true), ("2001:db8::/32", "192.0.2.7", false),
        // What is no address may be any.
        ("192.0.2.0/24", "unknown", true),
    ])
    func sender(range: String, address: String, hits: Bool) throws {
        let condition = RoutingCondition(sender: [AddressRange(range)].compactMap(\.self))
        #expect(try self.isHit(condition, address: address) == hits)
    }

    @Test func aMessageWithoutAnAddressIsInNoRange() throws {
        #expect(try !self.isHit(RoutingCondition(sender: [AddressRange("0.0.0.0/0")].compactMap(\.self)), address: nil))
    }

    @Test func appOfALaunch() throws {
        #expect(try self.isHit(RoutingCondition(app: ["CC1AD845"])))
        #expect(try !self.isHit(RoutingCondition(app: ["ABCD1234"])))
        // The app that is asked for counts, not the one that runs.
        #expect(try !self.isHit(RoutingCondition(app: ["ABCD1234"]), session: Self.session))
    }

    @Test func appOfAMessageToIt() throws {
        let play = #"{"type":"PLAY","requestId":1}"#
        #expect(try self.isHit(RoutingCondition(app: ["ABCD1234"]), play, in: .media, session: Self.session))
        #expect(try !self.isHit(RoutingCondition(app: ["CC1AD845"]), play, in: .media, session: Self.session))
        #expect(try !self.isHit(RoutingCondition(app: ["ABCD1234"]), play, in: .media))
    }

    @Test func appNotIn() throws {
        #expect(try !self.isHit(RoutingCondition(notApp: ["CC1AD845", "X"])))
        #expect(try self.isHit(RoutingCondition(notApp: ["X"])))
        #expect(try self.isHit(RoutingCondition(notApp: [])))
        // What concerns no app is none of the rule's business.
        #expect(try !self.isHit(RoutingCondition(notApp: ["X"]), #"{"type":"GET_STATUS"}"#))
        #expect(try !self.isHit(RoutingCondition(notApp: ["X"]), #"{"type":"LAUNCH"}"#))
    }

    @Test func everyPartMustHold() throws {
        #expect(try self.isHit(RoutingCondition(type: ["LAUNCH"], app: ["CC1AD845"], device: ["test"])))
        #expect(try !self.isHit(RoutingCondition(type: ["LAUNCH"], app: ["CC1AD845"], device: ["lobby"])))
        #expect(try !self.isHit(RoutingCondition(type: ["STOP"], app: ["CC1AD845"], device: ["test"])))
    }

    @Test func theFirstRuleDecides() throws {
        let launch = RoutingCondition(type: ["LAUNCH"])
        let rules = [
            RoutingRule(name: "other", condition: RoutingCondition(type: ["STOP"]), action: .drop),
            RoutingRule(name: "first", condition: launch, action: .reject, reason: "not here"),
            RoutingRule(name: "second", condition: launch, action: .drop),
        ]
        let outcome = try RouterBench.builtIn(rules: rules).outcome(
            #"{"type":"LAUNCH","requestId":5,"appId":"CC1AD845"}"#, in: .receiver)
        #expect(
            outcome.answerJSON == [
                "type": "LAUNCH_ERROR", "requestId": 5, "reason": "NOT_ALLOWED", "error": "not here",
            ])
    }

    @Test func aRejectionNamesTheRuleWithoutAReason() throws {
        let rule = RoutingRule(name: "quiet", condition: RoutingCondition(type: ["SET_VOLUME"]), action: .reject)
        let bench = try RouterBench.builtIn(rules: [rule])
        let outcome = bench.outcome(#"{"type":"SET_VOLUME","requestId":"9"}"#, in: .receiver)
        #expect(
            outcome.answerJSON == [
                "type": "INVALID_REQUEST", "requestId": "9", "reason": "NOT_ALLOWED", "message": "rule 'quiet'",
            ])
        #expect(bench.output.events == [.messageRejected(device: "test", handler: "rules", reason: "NOT_ALLOWED")])
        // No sender waits for an answer to this one.
        #expect(bench.outcome(#"{"type":"SET_VOLUME"}"#, in: .receiver) == .swallowed)
    }

    @Test func aDropSaysNothing() throws {
        let rule = RoutingRule(name: "gone", condition: RoutingCondition(type: ["LAUNCH"]), action: .drop)
        let bench = try RouterBench.builtIn(rules: [rule])
        #expect(bench.outcome(#"{"type":"LAUNCH","requestId":5}"#, in: .receiver) == .swallowed)
        #expect(bench.output.events.isEmpty)
        #expect(bench.router.counts.dropped == ["gone": 1])
    }

    @Test func whatTheDeviceSaysIsNotJudged() throws {
        let rule = RoutingRule(name: "all", condition: RoutingCondition(device: ["test"]), action: .drop)
        let outcome = try RouterBench.builtIn(rules: [rule]).outcome(
            #"{"type":"RECEIVER_STATUS"}"#, in: .receiver, direction: .toSender)
        #expect(outcome.text != nil)
    }

    @Test func theWayOfAMessageNamesTheRulesThatItMayMeet() throws {
        let rules = [
            RoutingRule(
                name: "no-unknown-apps", condition: RoutingCondition(type: ["LAUNCH"], notApp: ["CC1AD845"]),
                action: .reject, reason: "not here"),
            RoutingRule(name: "no-media", condition: RoutingCondition(namespace: [.exact(.media)]), action: .drop),
            RoutingRule(name: "hall", condition: RoutingCondition(type: ["STOP"], device: ["hall"]), action: .drop),
        ]
        let registry = HandlerRegistry()
        try registry.replaceAll(with: [RoutingRulesHandler(rules: rules)])
        let lines = RouteExplanation(
            table: registry.table, settings: RouterSettings(), device: .test(), namespace: .receiver, type: nil,
            direction: .toReceiver
        ).lines
        #expect(lines.first?.hasPrefix("filter    rules                claims *") == true)
        #expect(
            lines.dropFirst().first
                == "  rule    no-unknown-apps      rejects messages of type LAUNCH, of apps other than CC1AD845: not here"
        )
        #expect(!lines.contains { $0.contains("no-media") || $0.contains("hall") })
    }

    @Test func conforms() {
        let rule = RoutingRule(name: "r", condition: RoutingCondition(notApp: ["CC1AD845"]), action: .reject)
        #expect(HandlerConformance(RoutingRulesHandler(rules: [rule]), types: ["LAUNCH"]).violations() == [])
    }
}
