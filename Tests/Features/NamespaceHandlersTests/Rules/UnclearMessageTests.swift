import CastWire
import GatewayConfig
import GatewayCore
import GatewayTesting
import NIOCore
import Testing

@testable import NamespaceHandlers

/// Messages that devices may read in another way than the gateway: they pass only where no rule could concern them.
@Suite struct UnclearMessageTests {
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"
    private static let allowed = SessionFacts(
        appID: "CC1AD845", sessionID: "s-1", transportID: "web-1", displayName: "Player", namespaces: [])
    private static let android = SessionFacts(
        appID: "2C6A6E3D", universalAppID: "233637DE", appType: "ANDROID_TV", sessionID: "s-2", transportID: "web-2",
        displayName: "YouTube", namespaces: [])

    private func bench(
        _ conditions: RoutingCondition..., action: RoutingRule.Action = .reject, running: [SessionFacts] = [],
        runsMore: Bool = false
    ) throws -> RouterBench {
        let bench = try RouterBench.builtIn(
            rules: conditions.enumerated().map {
                RoutingRule(name: "rule-\($0.offset)", condition: $0.element, action: action)
            })
        for session in running { bench.output.sessions[session.transportID] = session }
        bench.output.runsMore = runsMore
        return bench
    }

    /// The reason that the sender is told; nil when the message went on as it came.
    private func refusal(
        _ text: String, in namespace: Namespace = .receiver, to destination: EndpointID = .platformReceiver,
        by bench: RouterBench
    ) -> String? {
        let outcome = bench.outcome(text, in: namespace, to: destination)
        if outcome == .forwarded(text) { return nil }
        return outcome.answerJSON?.string("error") ?? outcome.answerJSON?.string("message") ?? "\(outcome)"
    }

    // MARK: appId

    @Test(arguments: [#"5"#, #"["CC1AD845"]"#, "null", "true", #"{"a":1}"#, #""CC1AD845\u0000X""#])
    func anAppIDThatIsNoTextIsRefused(value: String) throws {
        let launch = #"{"type":"LAUNCH","requestId":5,"appId":\#(value)}"#
        for condition in [RoutingCondition(app: ["ABCD1234"]), RoutingCondition(notApp: ["CC1AD845"])] {
            let text = try #require(self.refusal(launch, by: try self.bench(condition)))
            #expect(text.hasPrefix("rule 'rule-0' cannot be judged: 'appId'"), "\(text)")
        }
        // A rule about something else does not read it.
        #expect(self.refusal(launch, by: try self.bench(RoutingCondition(type: ["STOP"]))) == nil)
        #expect(self.refusal(launch, by: try self.bench()) == nil)
    }

    @Test(arguments: ["cc1ad845", " CC1AD845", "CC1AD845 ", "Cc1Ad845"])
    func anAppIDInAnotherSpellingIsTheApps(id: String) throws {
        let launch = #"{"type":"LAUNCH","requestId":5,"appId":"\#(id)"}"#
        #expect(self.refusal(launch, by: try self.bench(RoutingCondition(app: ["CC1AD845"]))) == "rule 'rule-0'")
        #expect(self.refusal(launch, by: try self.bench(RoutingCondition(notApp: ["CC1AD845"]))) == "rule 'rule-0'")
    }

    @Test func anAndroidAppGoesByBothIDs() throws {
        let play = #"{"type":"PLAY","requestId":1}"#
        func refusal(_ condition: RoutingCondition) throws -> String? {
            self.refusal(play, in: .media, to: "web-2", by: try self.bench(condition, running: [Self.android]))
        }
        #expect(try refusal(RoutingCondition(app: ["233637DE"])) != nil)
        #expect(try refusal(RoutingCondition(app: ["2C6A6E3D"])) != nil)
        #expect(try refusal(RoutingCondition(notApp: ["233637DE"])) == nil)
        #expect(try refusal(RoutingCondition(notApp: ["CC1AD845"])) != nil)
    }

    // MARK: STOP

    private func stop(_ members: String) -> String { #"{"type":"STOP","requestId":7\#(members)}"# }

    @Test func aStopIsOfTheAppOfItsSession() throws {
        let condition = RoutingCondition(type: ["STOP"], app: ["CC1AD845"])
        let bench = try self.bench(condition, running: [Self.allowed, Self.android])
        #expect(self.refusal(self.stop(#","sessionId":"s-1""#), by: bench) == "rule 'rule-0'")
        #expect(self.refusal(self.stop(#","sessionId":"web-1""#), by: bench) == "rule 'rule-0'")
        #expect(self.refusal(self.stop(#","sessionId":"s-2""#), by: bench) == nil)
        #expect(
            self.refusal(self.stop(#","sessionId":"s-9""#), by: bench)
                == "rule 'rule-0' cannot be judged: the session to stop is not known")
    }

    @Test(arguments: ["", #","sessionId":null"#])
    func aStopWithoutASessionIsOfAllThatRuns(members: String) throws {
        let condition = RoutingCondition(type: ["STOP"], app: ["CC1AD845"])
        #expect(self.refusal(self.stop(members), by: try self.bench(condition, running: [Self.allowed])) != nil)
        #expect(self.refusal(self.stop(members), by: try self.bench(condition, running: [Self.android])) == nil)
        #expect(self.refusal(self.stop(members), by: try self.bench(condition)) == nil)
        #expect(
            self.refusal(self.stop(members), by: try self.bench(condition, runsMore: true))
                == "rule 'rule-0' cannot be judged: not all that runs is known")
    }

    @Test(arguments: ["5", "[]", #""s-1\u0000""#, #""s-1","sessionId":"s-2""#])
    func aSessionThatIsNoTextIsRefused(value: String) throws {
        let bench = try self.bench(RoutingCondition(app: ["ABCD1234"]), running: [Self.allowed])
        #expect(self.refusal(self.stop(#","sessionId":\#(value)"#), by: bench)?.contains("cannot be judged") == true)
        #expect(self.refusal(self.stop(#","sessionId":\#(value)"#), by: try self.bench()) == nil)
    }

    // MARK: Destinations

    @Test func aMessageToAllIsOfEveryAppThatItReaches() throws {
        let text = #"{"type":"PLAY","requestId":1}"#
        func refusal(_ condition: RoutingCondition, _ running: [SessionFacts], runsMore: Bool = false) throws -> String?
        {
            self.refusal(
                text, in: Self.quiz, to: .broadcast,
                by: try self.bench(condition, running: running, runsMore: runsMore))
        }
        #expect(try refusal(RoutingCondition(app: ["CC1AD845"]), [Self.android, Self.allowed]) == "rule 'rule-0'")
        #expect(try refusal(RoutingCondition(app: ["CC1AD845"]), [Self.android]) == nil)
        #expect(try refusal(RoutingCondition(notApp: ["CC1AD845"]), [Self.android, Self.allowed]) != nil)
        #expect(try refusal(RoutingCondition(notApp: ["CC1AD845"]), [Self.allowed]) == nil)
        #expect(try refusal(RoutingCondition(notApp: ["CC1AD845"]), [Self.allowed], runsMore: true) != nil)
    }

    @Test func anAppThatIsNotKnownMayBeAny() throws {
        let text = #"{"type":"PLAY","requestId":1}"#
        #expect(
            self.refusal(text, in: .media, to: "web-9", by: try self.bench(RoutingCondition(app: ["CC1AD845"]))) != nil)
        #expect(
            self.refusal(text, in: .media, to: "web-9", by: try self.bench(RoutingCondition(type: ["STOP"]))) == nil)
    }

    @Test func aMessageToAppsByTheirIDsIsTheirs() throws {
        func refusal(_ apps: String) throws -> String? {
            self.refusal(
                #"{"type":"APPLICATION_BROADCAST","requestId":1\#(apps)}"#, in: .broadcast, to: .broadcast,
                by: try self.bench(RoutingCondition(app: ["CC1AD845"])))
        }
        #expect(try refusal(#","appIds":["233637DE","CC1AD845"]"#) != nil)
        #expect(try refusal(#","appIds":["233637DE"]"#) == nil)
        #expect(try refusal(#","appIds":"CC1AD845""#) != nil)
        #expect(try refusal(#","appIds":["233637DE",5]"#) != nil)
        #expect(try refusal("") == nil)
    }

    @Test func anUnknownRequestWithAnAppIsTheApps() throws {
        let bench = try self.bench(RoutingCondition(notApp: ["233637DE"]), running: [Self.allowed])
        #expect(self.refusal(#"{"type":"launch","requestId":1,"appId":"CC1AD845"}"#, by: bench) != nil)
        #expect(self.refusal(#"{"type":"END","requestId":1,"sessionId":"s-1"}"#, by: bench) != nil)
        #expect(self.refusal(#"{"type":"GET_APP_AVAILABILITY","requestId":1,"appId":["CC1AD845"]}"#, by: bench) == nil)
        #expect(self.refusal(#"{"type":"SET_VOLUME","requestId":1,"volume":{"level":1}}"#, by: bench) == nil)
    }

    // MARK: type

    private static let deep = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)

    @Test(arguments: [
        "\u{FEFF}{\"type\":\"QUIT\"}", "\0{\"type\":\"QUIT\"}", "/*x*/{\"type\":\"QUIT\"}", "{\"type\":\"QUIT\"}//x",
        "{\"type\":\"QUIT\"}x", "{\"type\":\"QUIT\"}\0", "{\"type\":\"QUIT\",}", "{'type':'QUIT'}", "{type:\"QUIT\"}",
        "{\"type\":\"QUIT\",\"x\":\(deep)}", "{\"type\":\"QUIT\",\"type\":\"PLAY\"}",
        "{\"type\":\"PLAY\",\"\\u0074ype\":\"PLAY\"}", "{\"type\\u0000\":\"QUIT\"}", "{\"type\":[\"QUIT\"]}",
        "{\"type\":5}", "{\"type\":null}", "{\"type\":\"QUIT\\u0000\"}", "{\"responseType\":5}", "x{\"type\":\"QUIT\"}",
        "{\"type\":\"QUIT\",\"x\":\"\u{1}\"}", "{",
    ])
    func aTypeThatIsNotClearIsRefused(text: String) throws {
        let bench = try self.bench(RoutingCondition(type: ["QUIT"]))
        #expect(bench.outcome(text, in: Self.quiz, to: "web-1") == .swallowed)
        #expect(bench.router.counts.rejected == ["NOT_ALLOWED": 1])
        // Nothing is changed or refused where no rule reads it.
        for condition in [
            RoutingCondition(namespace: [.exact(.media)], type: ["QUIT"]),
            RoutingCondition(type: ["QUIT"], device: ["hall"]),
            RoutingCondition(app: ["ABCD1234"]), RoutingCondition(type: ["QUIT"], app: ["ABCD1234"]),
        ] {
            let other = try self.bench(condition, running: [Self.allowed])
            #expect(other.outcome(text, in: Self.quiz, to: "web-1") == .forwarded(text))
        }
    }

    @Test(arguments: [
        "hello", "", "[1,2]", #"[{"type":"QUIT"}]"#, #""{\"type\":\"QUIT\"}""#, "5", "{}",
        #"{"x":{"type":"QUIT","type":"QUIT"}}"#,
        #"{"type":"PLAY","x":1,"x":2}"#, #"{"type":"PLAY","responseType":5}"#, #"{"Type":"QUIT"}"#, "\u{FEFF}hello",
    ])
    func aTypeThatIsSurelyAnotherPasses(text: String) throws {
        let bench = try self.bench(RoutingCondition(type: ["QUIT"]))
        #expect(bench.outcome(text, in: Self.quiz, to: "web-1") == .forwarded(text))
    }

    @Test func bytesAreRefusedWhereATypeCounts() throws {
        var message = CastMessage.test("", in: Self.quiz, to: "web-1")
        for payload in [
            CastMessage.Payload.binary(ByteBuffer(bytes: [1, 2])),
            .text(ByteBuffer(bytes: Array(#"{"x":""#.utf8) + [0xFF, 0x22, 0x7D])),
        ] {
            message.payload = payload
            for (condition, passes) in [
                (RoutingCondition(type: ["QUIT"]), false),
                (RoutingCondition(namespace: [.exact(.media)], type: ["QUIT"]), true),
            ] {
                let bench = try self.bench(condition)
                bench.route(message)
                #expect(bench.output.forwarded.map(\.payload) == (passes ? [payload] : []))
            }
        }
    }

    // MARK: What is said of it

    @Test func aDropSaysNothingButItsReason() throws {
        let bench = try self.bench(RoutingCondition(type: ["QUIT"]), action: .drop)
        #expect(bench.outcome(#"{"type":5,"requestId":1}"#, in: Self.quiz) == .swallowed)
        #expect(bench.router.counts.dropped == ["rule-0 cannot be judged: 'type' is no text": 1])
    }

    @Test func theNumberOfTheRequestComesBackAsItWas() throws {
        let bench = try self.bench(RoutingCondition(type: ["QUIT"]))
        for id in ["1", "1.0", "1e0", #""seven""#] {
            let outcome = bench.outcome(#"{"type":5,"requestId":\#(id)}"#, in: Self.quiz)
            #expect(outcome.answer?.payload.text?.contains(#""requestId":\#(id),"#) == true)
        }
    }
}
