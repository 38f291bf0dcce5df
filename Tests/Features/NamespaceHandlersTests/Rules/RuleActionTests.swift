import CastWire
import GatewayConfig
import GatewayCore
import GatewayTesting
import NIOCore
import Testing

@testable import NamespaceHandlers

/// What each action does, and how actions follow each other.
@Suite struct RuleActionTests {
    private static let load = #"{"type":"LOAD","requestId":5,"media":{},"credentials":"c"}"#

    private func bench(_ rules: RoutingRule..., time: RuleTime = .system) throws -> RouterBench {
        try RouterBench([RoutingRulesHandler(rules: rules, timeZone: "UTC", time: time)])
    }

    private func rule(
        _ name: String, _ condition: RoutingCondition, _ action: RoutingRule.Action, reason: String? = nil,
        set: [(String, JSONValue)] = [], remove: [String] = [], limit: RoutingLimit? = nil, handler: String? = nil
    ) -> RoutingRule {
        RoutingRule(
            name: name, condition: condition, action: action, reason: reason,
            set: set.map { ConfigMapEntry(key: $0.0, value: $0.1) }, remove: remove, limit: limit,
            handler: handler)
    }

    @Test func whatIsForwardedGoesToTheHandlerAlone() throws {
        let bench = try RouterBench([
            RoutingRulesHandler(rules: [
                self.rule("seen", RoutingCondition(type: ["LOAD"]), .rewrite, set: [("/seen", true)]),
                self.rule("quiz", RoutingCondition(type: ["LOAD", "PLAY"]), .forwardTo, handler: "quiz"),
                self.rule("none", RoutingCondition(type: ["STOP"]), .forwardTo, handler: "none"),
                self.rule("last", RoutingCondition(namespace: [.exact(.media)]), .reject, reason: "the last rule"),
            ]),
            FunctionHandler("media", [Claim(.exact(.media))]) { _, _ in .drop("the owner was asked") },
            FunctionHandler("quiz", [Claim(.exact("urn:x-cast:com.example.quiz"))]) { message, _ in
                .reply(message.message.payload)
            },
        ])
        let play = #"{"type":"PLAY","requestId":5}"#
        #expect(bench.outcome(play, in: .media).answer?.payload.text == play)
        #expect(
            bench.outcome(Self.load, in: .media).answer?.payload.text
                == String(Self.load.dropLast()) + #","seen":true}"#)
        #expect(
            bench.outcome(#"{"type":"STOP","requestId":5}"#, in: .media).answerJSON?.string("reason") == "APP_ERROR")
        #expect(
            bench.outcome(#"{"type":"SEEK","requestId":5}"#, in: .media).answerJSON?.string("message")
                == "the last rule")
        // Whether it is one of those cannot be told.
        #expect(
            bench.outcome(#"{"type":5,"requestId":5}"#, in: .media).answerJSON?.string("message")
                == "rule 'seen' cannot be judged: 'type' is no text")
    }

    @Test func whatIsAllowedMeetsNoFurtherRule() throws {
        let staff = ["10.1.0.0/16"].compactMap { AddressRange($0) }
        let bench = try self.bench(
            self.rule("staff", RoutingCondition(sender: staff), .allow),
            self.rule("none", RoutingCondition(type: ["LOAD"]), .reject))
        #expect(bench.outcome(Self.load, in: .media, address: "10.1.2.3") == .forwarded(Self.load))
        #expect(bench.outcome(Self.load, in: .media, address: "10.2.2.3").answer != nil)
        // Neither an address that is not known nor none at all is surely one of the staff's.
        #expect(bench.outcome(Self.load, in: .media, address: "?").answer != nil)
        #expect(bench.outcome(Self.load, in: .media).answer != nil)
    }

    @Test func allowTakesAppsByTheLetterAndAllOfThem() throws {
        let bench = try self.bench(
            self.rule("player", RoutingCondition(app: ["CC1AD845"]), .allow),
            self.rule("none", RoutingCondition(namespace: [.exact(.receiver)]), .reject))
        func isAllowed(_ app: String) -> Bool {
            bench.outcome(#"{"type":"LAUNCH","requestId":5,"appId":"\#(app)"}"#, in: .receiver).text != nil
        }
        #expect(isAllowed("CC1AD845"))
        #expect(!isAllowed("cc1ad845") && !isAllowed("233637DE"))
        let sessions = ["CC1AD845", "233637DE"].map {
            SessionFacts(
                appID: AppID(rawValue: $0), sessionID: $0, transportID: "web-1", displayName: "", namespaces: [])
        }
        bench.output.sessions = ["web-1": sessions[0]]
        #expect(bench.outcome(#"{"type":"STOP","requestId":5}"#, in: .receiver).text != nil)
        bench.output.sessions["web-2"] = sessions[1]
        #expect(bench.outcome(#"{"type":"STOP","requestId":5}"#, in: .receiver).text == nil)
    }

    @Test func whatIsRewrittenIsJudgedAgain() throws {
        let bench = try self.bench(
            self.rule("has-room", RoutingCondition(type: ["PLAY"]), .drop),
            self.rule(
                "room", RoutingCondition(type: ["LOAD"]), .rewrite, set: [("/media/customData/room", "12")],
                remove: ["/credentials"]),
            self.rule("again", RoutingCondition(type: ["LOAD"]), .rewrite, set: [("/seen", true)]))
        #expect(
            bench.outcome(Self.load, in: .media).text
                == #"{"type":"LOAD","requestId":5,"media":{"customData":{"room":"12"}},"seen":true}"#)
        // What the rules have nothing to change in goes on as it came.
        let text = #"{ "type": "LOAD", "media": {"customData": {"room": "12"}}, "seen": true }"#
        #expect(bench.outcome(text, in: .media) == .forwarded(text))
    }

    @Test func aRewrittenAppIsTheOneThatCounts() throws {
        let bench = try self.bench(
            self.rule("only-player", RoutingCondition(type: ["LAUNCH"], app: ["CC1AD845"]), .allow),
            self.rule("player", RoutingCondition(type: ["LAUNCH"]), .rewrite, set: [("/appId", "CC1AD845")]),
            self.rule("none", RoutingCondition(type: ["LAUNCH"]), .reject))
        #expect(
            bench.outcome(#"{"type":"LAUNCH","requestId":5,"appId":"233637DE"}"#, in: .receiver).text
                == #"{"type":"LAUNCH","requestId":5,"appId":"CC1AD845"}"#)
    }

    /// Two rules that undo each other's work act once each.
    @Test func rulesThatContradictEachOtherEnd() throws {
        let bench = try self.bench(
            self.rule("one", RoutingCondition(type: ["LOAD"]), .rewrite, set: [("/x", 1)]),
            self.rule("other", RoutingCondition(type: ["LOAD"]), .rewrite, set: [("/x", 2)]))
        #expect(bench.outcome(#"{"type":"LOAD"}"#, in: .media).text == #"{"type":"LOAD","x":2}"#)
    }

    @Test func whatCannotBeRewrittenIsRefused() throws {
        let bench = try self.bench(
            self.rule("secret", RoutingCondition(type: ["LOAD"]), .rewrite, remove: ["/credentials"]))
        let twice = #"{"type":"LOAD","requestId":5,"credentials":1,"credentials":2}"#
        #expect(
            bench.outcome(twice, in: .media).answerJSON?.string("message")
                == "rule 'secret' cannot be judged: 'credentials' stands twice")
        #expect(bench.outcome(#"{"type":5,"requestId":5}"#, in: .media).answer != nil)
    }

    @Test func whatExceedsARateIsRejected() throws {
        let bench = try self.bench(
            self.rule(
                "calm", RoutingCondition(namespace: [.exact(.media)]), .limit,
                limit: RoutingLimit { $0.rate = MessageRate("2/1m") }),
            // Rewriting has the rule judged again, not counted again.
            self.rule("seen", RoutingCondition(type: ["LOAD"]), .rewrite, set: [("/seen", true)]),
            time: RuleTime(now: { .uptimeNanoseconds(5_000_000_000) }, secondsSince1970: { 0 }))
        for _ in 0..<2 { #expect(bench.outcome(Self.load, in: .media).text != nil) }
        #expect(bench.outcome(Self.load, in: .media).answerJSON?.string("message") == "rule 'calm' allows 2/1m")
        #expect(bench.outcome("{}", in: .receiver) == .forwarded("{}"))
    }

    @Test func aVolumeAboveTheCeilingBecomesTheCeiling() throws {
        let bench = try self.bench(
            self.rule("quiet", RoutingCondition(device: ["test"]), .limit, limit: RoutingLimit { $0.volume = 0.5 }),
            // Also one that another rule has set.
            self.rule("loud", RoutingCondition(type: ["SET_VOLUME"]), .rewrite, set: [("/volume/level", 0.9)]))
        let text = #"{"type":"SET_VOLUME","requestId":1,"volume":{"level":0.2}}"#
        #expect(bench.outcome(text, in: .receiver).text == text.replacing("0.2", with: "0.5"))
        #expect(bench.outcome(text.replacing("0.2", with: "\"1\""), in: .receiver).text == nil)
        #expect(bench.outcome(#"{"type":5,"requestId":1}"#, in: .receiver).text == nil)
        // Other namespaces have no volume.
        let quiet = try self.bench(
            self.rule("quiet", RoutingCondition(device: ["test"]), .limit, limit: RoutingLimit { $0.volume = 0.5 }))
        #expect(quiet.outcome(#"{"type":5,"requestId":1}"#, in: "urn:x-cast:com.example.quiz").text != nil)
    }

    @Test func hoursAndSources() throws {
        let hours = [WeekTimes("Mon-Fri 08:00-16:00")].compactMap(\.self)
        func isHit(_ condition: RoutingCondition, at seconds: Int, plugin: String? = nil) throws -> Bool {
            let time = RuleTime(now: { .uptimeNanoseconds(0) }, secondsSince1970: { seconds })
            let bench = try self.bench(self.rule("r", condition, .drop), time: time)
            bench.router.route(
                RoutedMessage(
                    .test("{}"), direction: .toReceiver, device: bench.device, connection: ConnectionID(rawValue: 1),
                    origin: plugin.map { MessageOrigin($0) }))
            return bench.output.forwarded.isEmpty
        }
        let monday = RuleMessage.instants[0]
        #expect(try isHit(RoutingCondition(during: hours), at: monday))
        #expect(try !isHit(RoutingCondition(during: hours), at: monday + 7 * 3600))
        #expect(try isHit(RoutingCondition(notDuring: hours), at: monday + 7 * 3600))
        #expect(try !isHit(RoutingCondition(during: hours, timeZone: "Asia/Tokyo"), at: monday))
        for (source, ofSender, ofPlugin) in [
            ("sender", true, false), ("plugin:quiz", false, true), ("plugin:*", false, true),
            ("plugin:other", false, false),
        ] {
            let condition = RoutingCondition(from: [MessageSource(source)].compactMap(\.self))
            #expect(try isHit(condition, at: 0) == ofSender)
            #expect(try isHit(condition, at: 0, plugin: "quiz") == ofPlugin)
        }
    }

    @Test func whatEachRuleDoesInWords() throws {
        let rules = [
            self.rule("a", RoutingCondition(app: ["CC1AD845", "A*"], device: ["t*"]), .allow),
            self.rule("b", RoutingCondition(notType: ["PING"], from: [.sender], notFrom: [.plugin("quiz")]), .drop),
            self.rule(
                "c", RoutingCondition(during: [WeekTimes("Sun")].compactMap(\.self), timeZone: "UTC"), .rewrite,
                set: [("/a", 1)], remove: ["/b"]),
            self.rule(
                "d", RoutingCondition(notDevice: ["hall"]), .limit,
                limit: RoutingLimit {
                    $0.rate = MessageRate("10/1m")
                    $0.volume = 0.5
                    $0.play = .seconds(1_800)
                }),
            self.rule(
                "e", RoutingCondition(senderName: ["VLC"], notSenderName: ["Py*"]), .forwardTo, handler: "quiz"),
        ]
        let lines = RoutingRulesHandler(rules: rules).explanation(
            of: .media, type: "LOAD", device: "test", leg: .sender)
        #expect(
            lines.map(\.text) == [
                "allows messages of app CC1AD845 A*, to t*",
                "drops messages of types other than PING, from sender, not from plugin:quiz",
                "rewrites messages during Sun (UTC), sets /a, removes /b",
                "limits messages to devices other than hall, to 10/1m, to play for 30m, to volume 0.5",
                "forwards messages from senders called VLC, from senders called other than Py*, to the handler 'quiz'",
            ])
    }

    @Test func thousandsOfRulesAreFoundByNamespaceDeviceAndType() {
        let rules = (0..<3000).map { number in
            RoutingRule(
                name: "\(number)",
                condition: RoutingCondition(type: [Glob("T\(number % 1000)")], device: [Glob("room-\(number / 1000)")]),
                action: .drop)
        }
        let table = RuleTable(rules, timeZone: nil)
        #expect(table.candidates(.media, device: "hall").all.isEmpty)
        let candidates = table.candidates(.media, device: "room-1")
        #expect(candidates.all.count == 1000 && candidates.dependsOnType)
        #expect(Array(candidates.rules(ofType: "T7")) == [1007] && Array(candidates.rules(ofType: nil)) == [])
        for number in 0..<300 { _ = table.candidates(Namespace(rawValue: "urn:x-cast:\(number)"), device: "hall") }
        #expect(table.cachedCount <= 256)
    }
}
