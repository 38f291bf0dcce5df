import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayTesting
import Logging
import NIOCore
import Testing

@testable import NamespaceHandlers

@Suite struct CastingLogTests {
    private let log = LogRecorder()

    private func bench(rules: [RoutingRule] = [], relayedApps: [String: Set<String>] = [:]) throws -> RouterBench {
        let bench = try RouterBench(
            BuiltInHandlers.make(
                routing: RoutingConfiguration { $0.rules = rules }, launch: LaunchSettings(LaunchConfiguration()),
                channels: [], castingLog: self.log.logger("CastingLog")),
            guardedBy: PlatformGuard(relayedApps: relayedApps), device: .test(target: "tv"),
            logger: self.log.logger("VirtualDevice"))
        bench.output.sessions["web-1"] = SessionFacts(
            appID: "CC1AD845", sessionID: "s-1", transportID: "web-1", displayName: "Default Media Receiver",
            namespaces: [])
        return bench
    }

    /// The lines at info, with the keys that matter here.
    private func lines() -> [[String: String]] {
        self.log.entries.filter { $0.level == .info }.map { entry in
            var line = entry.metadata.mapValues { "\($0)" }
            line["msg"] = entry.message
            for key in ["source", "destination", "namespace", "direction", "connection", "sender"] { line[key] = nil }
            return line
        }
    }

    private func say(_ text: String, in namespace: Namespace, to destination: EndpointID, _ bench: RouterBench) {
        _ = bench.outcome(text, in: namespace, to: destination, address: "192.0.2.7")
    }

    @Test func aLaunch() throws {
        self.say(
            #"{"type":"LAUNCH","requestId":1,"appId":"233637DE"}"#, in: .receiver, to: "receiver-0", try self.bench())
        #expect(
            self.lines() == [
                ["msg": "Launch", "type": "LAUNCH", "address": "192.0.2.7", "device": "test", "app": "233637DE"]
            ])
    }

    @Test func aLoad() throws {
        let load = #"""
            {"type":"LOAD","requestId":1,"media":{"contentId":"https://media.example/tea.mp4","metadata":{"title":"Tea"}}}
            """#
        self.say(load, in: .media, to: "web-1", try self.bench())
        #expect(
            self.lines() == [
                [
                    "msg": "Load", "type": "LOAD", "address": "192.0.2.7", "device": "test", "app": "CC1AD845",
                    "app_name": "Default Media Receiver", "title": "Tea", "content": "https://media.example/tea.mp4",
                ]
            ])
    }

    @Test func aQueue() throws {
        let load = #"""
            {"type":"QUEUE_LOAD","requestId":1,"startIndex":1,"items":[{},{"media":{"metadata":{"title":"Two"}}}]}
            """#
        self.say(load, in: .media, to: "web-1", try self.bench())
        #expect(self.lines().map { [$0["msg"], $0["title"], $0["items"]] } == [["Load", "Two", "2"]])
    }

    @Test(arguments: [#","sessionId":"s-1""#, ""])
    func aStop(members: String) throws {
        self.say(#"{"type":"STOP","requestId":1\#(members)}"#, in: .receiver, to: "receiver-0", try self.bench())
        #expect(self.lines().map { [$0["msg"], $0["app"]] } == [["Stop", "CC1AD845"]])
    }

    @Test func volumes() throws {
        let bench = try self.bench()
        self.say(
            #"{"type":"SET_VOLUME","requestId":1,"volume":{"level":0.5,"muted":true}}"#, in: .receiver,
            to: "receiver-0", bench)
        self.say(#"{"type":"SET_VOLUME","requestId":1,"volume":{"level":0.25}}"#, in: .media, to: "web-1", bench)
        #expect(
            self.lines().map { [$0["msg"], $0["volume"], $0["muted"], $0["app"]] } == [
                ["Volume", "0.5", "true", nil], ["Volume", "0.25", nil, "CC1AD845"],
            ])
    }

    @Test func otherMessagesAreNotLogged() throws {
        let bench = try self.bench()
        self.say(#"{"type":"GET_STATUS","requestId":1}"#, in: .receiver, to: "receiver-0", bench)
        self.say(#"{"type":"PLAY","requestId":1}"#, in: .media, to: "web-1", bench)
        self.say(#"{"type":"LAUNCH","requestId":1}"#, in: "urn:x-cast:com.example.quiz", to: "web-1", bench)
        #expect(self.lines().isEmpty)
    }

    @Test func aRefusalNamesTheRuleAndTheReason() throws {
        let rule = RoutingRule(
            name: "no-youtube", condition: RoutingCondition(app: ["233637DE"]), action: .reject, reason: "not here")
        let bench = try self.bench(rules: [rule])
        self.say(#"{"type":"LAUNCH","requestId":1,"appId":"233637DE"}"#, in: .receiver, to: "receiver-0", bench)
        self.say(#"{"type":"LAUNCH","requestId":1,"appId":5}"#, in: .receiver, to: "receiver-0", bench)
        let lines = self.lines()
        #expect(lines.count == 2)
        #expect(
            lines.first == [
                "msg": "Rejected", "type": "LAUNCH", "address": "192.0.2.7", "device": "test", "app": "233637DE",
                "handler": "rules", "rule": "no-youtube", "reason": "NOT_ALLOWED", "detail": "not here",
            ])
        #expect(lines.last?["detail"] == "rule 'no-youtube' cannot be judged: 'appId' is no text")
    }

    @Test func aDropIsLoggedToo() throws {
        let rule = RoutingRule(name: "quiet", condition: RoutingCondition(type: ["LAUNCH"]), action: .drop)
        self.say(
            #"{"type":"LAUNCH","requestId":1,"appId":"233637DE"}"#, in: .receiver, to: "receiver-0",
            try self.bench(rules: [rule]))
        #expect(self.lines().map { [$0["msg"], $0["app"], $0["reason"]] } == [["Dropped", "233637DE", "quiet"]])
    }

    @Test func anAppThatIsNotOfferedIsRefused() throws {
        self.say(
            #"{"type":"LAUNCH","requestId":1,"appId":"233637DE"}"#, in: .receiver, to: "receiver-0",
            try self.bench(relayedApps: ["test": []]))
        #expect(self.lines().map { [$0["msg"], $0["app"], $0["reason"]] } == [["Rejected", "233637DE", "NOT_FOUND"]])
    }

    /// A sender cannot fill the log: what is too much is at debug, and counted.
    @Test func linesAboutAnAddressAreFew() throws {
        let bench = try self.bench()
        for _ in 0..<100 {
            self.say(
                #"{"type":"SET_VOLUME","requestId":1,"volume":{"level":0.5}}"#, in: .receiver, to: "receiver-0", bench)
        }
        #expect(self.lines().count == 60)
        #expect(self.log.entries.count { $0.level == .debug && $0.message == "Volume" } == 40)
    }

    @Test func nothingIsDoneWhenInfoIsOff() throws {
        var logger = self.log.logger("CastingLog")
        logger.logLevel = .notice
        let bench = try RouterBench([CastingLog(logger: logger)])
        self.say(#"{"type":"LAUNCH","requestId":1,"appId":"233637DE"}"#, in: .receiver, to: "receiver-0", bench)
        #expect(self.log.entries.isEmpty)
    }

    @Test func conforms() {
        let log = CastingLog(logger: self.log.logger())
        #expect(HandlerConformance(log, types: ["LAUNCH", "LOAD"]).violations() == [])
    }
}
