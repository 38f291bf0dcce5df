import CastWire
import CastwayTestSupport
import GatewayCore
import GatewayTesting
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import NamespaceHandlers

/// However handlers are arranged, switched and registered anew while messages flow: none is lost, none is doubled, those of a flow
/// keep their order, and none gets through that the guard forbids.
@Suite struct HandlerSwitchPropertyTests {
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"
    private static let offered: Set<String> = ["CC1AD845"]

    /// Random numbers that handlers share with the test.
    private final class Chance: Sendable {
        private let generator: Mutex<SeededGenerator>

        init(seed: UInt64) { self.generator = Mutex(SeededGenerator(seed: seed)) }

        func once(in count: Int) -> Bool { self.generator.withLock { $0.once(in: count) } }
        func int(_ range: ClosedRange<Int>) -> Int { self.generator.withLock { $0.int(range) } }
        func shuffled<Element>(_ list: [Element]) -> [Element] {
            var generator = SeededGenerator(seed: UInt64(self.int(0...1_000_000)))
            return list.shuffled(using: &generator)
        }
    }

    private struct Oops: Error {}

    /// A handler of any phase that does anything that its phase allows, now or later.
    private final class Wild: MessageHandler {
        let name: String
        let claims: [Claim]
        private let chance: Chance
        private let held = Mutex<[(message: RoutedMessage, deferral: Deferral)]>([])

        init(_ name: String, _ claims: [Claim], _ chance: Chance) {
            self.name = name
            self.claims = claims
            self.chance = chance
        }

        func handle(_ message: RoutedMessage, in context: HandlerContext) throws -> Verdict {
            if context.claim.phase != .observe, self.chance.once(in: 6) {
                let deferral = context.deferral()
                self.held.withLock { $0.append((message, deferral)) }
                return .deferred
            }
            return try self.verdict(on: message, as: context.claim.phase)
        }

        /// Decides about what waits.
        func release() {
            let held = self.held.withLock { held in
                defer { held = [] }
                return held
            }
            let phase = self.claims[0].phase
            for (message, deferral) in held {
                do {
                    deferral.complete(with: try self.verdict(on: message, as: phase))
                } catch {
                    deferral.fail(error)
                }
            }
        }

        private func verdict(on message: RoutedMessage, as phase: RoutingPhase) throws -> Verdict {
            var json = message.message.payload.jsonObject ?? [:]
            switch self.chance.int(0...9) {
            case 0: throw Oops()
            case 1: throw Rejection(reason: "WILD")
            case 2: return .drop("wild")
            case 3, 4:
                // What the sender asked for becomes a launch of something else.
                if message.message.namespace == .receiver { json["type"] = "LAUNCH" }
                json["appId"] = "ABCD1234"
                if self.chance.once(in: 3) { json["type"] = nil }
                return phase == .filter ? .rewrite(json) : .forward(json)
            case 5:
                return Verdict.pass.sendToReceiver(["type": "LAUNCH", "appId": "ABCD1234"], namespace: .receiver)
            case 6 where phase == .handle: return .forward
            default: return .pass
            }
        }
    }

    private static func message(_ number: Int, _ chance: Chance) -> CastMessage {
        let (receiver, media) = (Namespace.receiver, Namespace.media)
        let texts: [(Namespace, String)] = [
            (receiver, #"{"type":"LAUNCH","appId":"CC1AD845","#), (receiver, #"{"type":"LAUNCH","appId":"ABCD1234","#),
            (receiver, #"{"type":"GET_STATUS","#), (receiver, #"{"appId":"ABCD1234","#),
            (media, #"{"type":"LOAD","media":{"streamType":null},"#), (media, #"{"type":"PLAY","#), (media, "{"),
            (Self.quiz, #"{"type":"ANSWER","#), (Self.quiz, "{"), (.multizone, #"{"type":"GET_STATUS","#),
        ]
        let (namespace, text) = texts[chance.int(0...texts.count - 1)]
        return .test(
            text + #""requestId":\#(number)}"#, in: namespace, from: "sender-1", to: "app")
    }

    private static func isForbidden(_ message: CastMessage) -> Bool {
        let json = message.payload.jsonObject
        switch message.namespace {
        case .receiver:
            guard let type = json?.string("type") else { return true }
            return type == "LAUNCH" && !Self.offered.contains(json?.string("appId") ?? "")
        case .media, .multizone: return json?.string("type") == nil
        default: return false
        }
    }

    private static func plan(of names: [String], _ chance: Chance) -> HandlerPlan {
        if chance.once(in: 5) { return HandlerPlan() }
        return HandlerPlan(
            entries: chance.shuffled(names).prefix(chance.int(0...names.count)).map { name in
                HandlerPlan.Entry(
                    name: name, isEnabled: !chance.once(in: 4),
                    devices: chance.once(in: 4) ? [chance.once(in: 2) ? "test" : "elsewhere"] : nil,
                    deadline: chance.once(in: 4) ? .milliseconds(20) : nil,
                    onFailure: [nil, .open, .closed][chance.int(0...2)])
            })
    }

    /// The number in a message, and whether there is one.
    private static func number(_ message: CastMessage) -> Int? { message.payload.jsonObject?.int("requestId") }

    @Test(arguments: UInt64(1)...20)
    func nothingIsLostDoubledOrLetThrough(seed: UInt64) throws {
        let chance = Chance(seed: seed)
        func wild(_ name: String) -> Wild {
            switch name {
            case "filter": Wild(name, [Claim(.any, phase: .filter)], chance)
            case "media filter": Wild(name, [Claim(.exact(.media), phase: .filter, onFailure: .closed)], chance)
            case "player": Wild(name, [Claim(.exact(.media), replaces: "media")], chance)
            case "platform": Wild(name, [Claim(.exact(.receiver), replaces: "receiver")], chance)
            default: Wild(name, [Claim(.exact(Self.quiz))], chance)
            }
        }
        let wildNames = ["filter", "media filter", "player", "platform", "quiz"]
        var wilds = Dictionary(uniqueKeysWithValues: wildNames.map { ($0, wild($0)) })
        var gone: [Wild] = []
        let builtIn: [any MessageHandler] = [ReceiverHandler(), MediaHandler(), MultizoneHandler()]
        let names = wildNames + builtIn.map(\.name)
        let bench = try RouterBench(
            builtIn + wildNames.compactMap { wilds[$0] },
            guardedBy: PlatformGuard(relayedApps: ["test": Self.offered]))
        let count = 600
        for number in 1...count {
            // A sender's end names its connection, so that flows can be told apart in what goes out.
            let connection = chance.int(1...2)
            var message = Self.message(number, chance)
            message.source = EndpointID(rawValue: "sender-\(connection)")
            bench.route(message, connection: UInt64(connection))
            switch chance.int(0...12) {
            case 0: try bench.registry.follow(Self.plan(of: names, chance))
            case 1, 2:
                bench.registry.setEnabled(
                    [true, false, nil][chance.int(0...2)], names[chance.int(0...names.count - 1)])
            case 3:
                let name = wildNames[chance.int(0...wildNames.count - 1)]
                if let old = wilds[name] { gone.append(old) }
                let new = wild(name)
                wilds[name] = new
                try bench.registry.renew(new)
            case 4: for name in wildNames { wilds[name]?.release() }
            case 5: bench.loop.advanceTime(by: .milliseconds(Int64(chance.int(1...400))))
            default: break
            }
        }
        // Every flow comes to rest: what is held misses its deadline at last.
        for handler in gone + wildNames.compactMap({ wilds[$0] }) { handler.release() }
        for _ in 0..<2_000 where bench.router.heldFlowCount > 0 { bench.loop.advanceTime(by: .seconds(1)) }
        #expect(bench.router.heldFlowCount == 0)
        try self.check(bench, count: count)
    }

    private func check(_ bench: RouterBench, count: Int) throws {
        var outcomes: [Int: Int] = [:]
        var last: [EndpointID: Int] = [:]
        for step in bench.output.steps {
            switch step {
            case .forward(let message):
                #expect(!Self.isForbidden(message))
                let number = try #require(Self.number(message))
                outcomes[number, default: 0] += 1
                #expect(last[message.source, default: 0] < number, "a flow keeps its order")
                last[message.source] = number
            case .toSenders(let message, _): outcomes[try #require(Self.number(message)), default: 0] += 1
            case .toReceiver(let message, _): #expect(!Self.isForbidden(message))
            case .event, .flush: break
            }
        }
        #expect(outcomes.values.allSatisfy { $0 == 1 })
        // Effects that the guard refused are dropped, too; none of them has a number.
        let refusedEffects = bench.router.counts.dropped["NOT_FOUND"] ?? 0
        let dropped = bench.router.counts.dropped.values.reduce(0, +) - refusedEffects
        #expect(outcomes.count + dropped == count)
    }
}
