import CastWire
import GatewayConfig
import GatewayCore
import GatewayTesting
import NIOCore
import NIOEmbedded
import Testing

@testable import NamespaceHandlers

/// Rules that limit for how long apps play.
@Suite struct PlaySessionsTests {
    private static func app(_ number: Int) -> SessionFacts {
        SessionFacts(
            appID: "CC1AD845", sessionID: "s-\(number)", transportID: EndpointID(rawValue: "web-\(number)"),
            displayName: "", namespaces: [])
    }

    private static func session(_ id: String, rule: String = "half-hour") -> PlaySessions.Session {
        PlaySessions.Session(rule: rule, device: "test", id: id)
    }

    private func bench(_ plays: PlaySessions?) throws -> RouterBench {
        let rule = RoutingRule(
            name: "half-hour", condition: RoutingCondition(device: ["test"]), action: .limit,
            limit: RoutingLimit { $0.play = .seconds(1_800) })
        let bench = try RouterBench([RoutingRulesHandler(rules: [rule], plays: plays)])
        for number in 1...2 { bench.output.sessions[Self.app(number).transportID] = Self.app(number) }
        return bench
    }

    private func passes(
        _ bench: RouterBench, _ type: String, in namespace: Namespace = .media, to destination: EndpointID = "web-1"
    ) -> Bool {
        bench.outcome(#"{"type":"\#(type)","requestId":1}"#, in: namespace, to: destination).text != nil
    }

    /// What has ended, in order; closes the stream's only reader.
    private func ended(_ plays: PlaySessions, count: Int) async -> [PlaySessions.Session] {
        var ended: [PlaySessions.Session] = []
        for await session in plays.ended.prefix(count) { ended.append(session) }
        return ended
    }

    @Test(.timeLimit(.minutes(1))) func anAppIsEndedWhenItsTimeIsOver() async throws {
        let loop = EmbeddedEventLoop()
        let plays = PlaySessions(eventLoop: loop)
        let bench = try self.bench(plays)
        // Nothing plays yet.
        #expect(self.passes(bench, "GET_STATUS") && self.passes(bench, "LAUNCH", in: .receiver))
        #expect(plays.count == 0)
        #expect(self.passes(bench, "LOAD"))
        loop.advanceTime(by: .minutes(20))
        #expect(self.passes(bench, "QUEUE_LOAD") && self.passes(bench, "PLAY"))
        #expect(self.passes(bench, "LOAD", to: "web-2"))
        loop.advanceTime(by: .minutes(10))
        // The first session's time began with its first LOAD, and is over.
        for type in ["LOAD", "PLAY", "QUEUE_INSERT"] { #expect(!self.passes(bench, type)) }
        #expect(
            bench.outcome(#"{"type":"LOAD","requestId":1}"#, in: .media, to: "web-1").answerJSON?.string("message")
                == "rule 'half-hour' allows 30m of play")
        #expect(self.passes(bench, "PAUSE") && self.passes(bench, "STOP") && self.passes(bench, "PLAY", to: "web-2"))
        loop.advanceTime(by: .minutes(20))
        #expect(await self.ended(plays, count: 2) == [Self.session("s-1"), Self.session("s-2")])
    }

    @Test func whatCannotBeToldDoesNotPlay() throws {
        let bench = try self.bench(PlaySessions(eventLoop: EmbeddedEventLoop()))
        for destination: EndpointID in ["web-9", "*", "receiver-0"] {
            #expect(!self.passes(bench, "LOAD", to: destination))
            #expect(self.passes(bench, "GET_STATUS", to: destination))
        }
        #expect(bench.outcome(#"{"type":5,"requestId":1}"#, in: .media, to: "web-1").text == nil)
        #expect(bench.outcome("hello", in: .media, to: "web-1").text == "hello")
        // Other namespaces play nothing.
        #expect(bench.outcome(#"{"type":5,"requestId":1}"#, in: .receiver).text != nil)
        // Without a count nothing could end it.
        #expect(try !self.passes(self.bench(nil), "LOAD"))
    }

    @Test func sessionsBeyondTheLimitDoNotPlayUntilOneIsForgotten() throws {
        let loop = EmbeddedEventLoop()
        let plays = PlaySessions(eventLoop: loop, limit: 2)
        func mayPlay(_ id: String) -> Bool { plays.mayPlay(Self.session(id), for: .minutes(1)) }
        #expect(mayPlay("a") && mayPlay("b") && !mayPlay("c"))
        loop.advanceTime(by: .minutes(30))
        #expect(!mayPlay("c") && !mayPlay("a"))
        loop.advanceTime(by: .minutes(32))
        #expect(mayPlay("c"))
        #expect(plays.count == 1)
    }

    /// A sender that launches again and again takes no place from other devices.
    @Test func sessionsOfADeviceThatHaveEndedMakeRoom() throws {
        let plays = PlaySessions(eventLoop: EmbeddedEventLoop())
        for number in 1...64 { #expect(plays.mayPlay(Self.session("s-\(number)"), for: .minutes(1))) }
        // What runs is not known, so that nothing can be forgotten.
        #expect(!plays.mayPlay(Self.session("s-65"), for: .minutes(1)))
        let other = PlaySessions.Session(rule: "half-hour", device: "other", id: "s-1")
        #expect(plays.mayPlay(other, for: .minutes(1)))
        #expect(
            plays.mayPlay(
                Self.session("s-65"), for: .minutes(1),
                running: RunningApps([Self.app(64), Self.app(65)], isComplete: true)))
        #expect(plays.count == 3)
    }

    @Test func aSessionIsOverOnceItsTimeIsAndUntilItIsForgotten() {
        let loop = EmbeddedEventLoop()
        let plays = PlaySessions(eventLoop: loop)
        let session = Self.session("a")
        #expect(plays.mayPlay(session, for: .minutes(1)))
        #expect(!plays.isOver(session))
        loop.advanceTime(by: .minutes(1))
        #expect(plays.isOver(session))
        plays.forget(session)
        #expect(!plays.isOver(session))
        #expect(plays.count == 0)
    }

    @Test(.timeLimit(.minutes(1))) func aRuleThatIsGoneEndsNothing() async throws {
        let loop = EmbeddedEventLoop()
        let plays = PlaySessions(eventLoop: loop)
        #expect(plays.mayPlay(Self.session("a", rule: "gone"), for: .minutes(1)))
        #expect(plays.mayPlay(Self.session("b"), for: .minutes(2)))
        #expect(plays.mayPlay(Self.session("c"), for: .minutes(3)))
        plays.keep(rules: ["half-hour"])
        loop.advanceTime(by: .seconds(150))
        // It comes back, and its time begins anew.
        plays.keep(rules: [])
        #expect(plays.mayPlay(Self.session("c"), for: .minutes(3)))
        #expect(plays.mayPlay(Self.session("d"), for: .minutes(1)))
        loop.advanceTime(by: .seconds(60))
        #expect(plays.mayPlay(Self.session("c"), for: .minutes(3)))
        loop.advanceTime(by: .minutes(3))
        #expect(await self.ended(plays, count: 3).map(\.id) == ["b", "d", "c"])
    }
}
