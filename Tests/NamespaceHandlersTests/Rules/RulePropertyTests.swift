import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayTesting
import Testing

@testable import NamespaceHandlers

/// Whatever is sent, a rule lets pass only what it surely does not concern.
@Suite struct RulePropertyTests {
    private static func condition(_ random: inout SeededGenerator) -> RoutingCondition {
        func pick<T>(_ choices: [T]) -> T { choices[random.int(0...choices.count - 1)] }
        var condition = RoutingCondition()
        if random.once(in: 3) {
            let patterns: [NamespacePattern] = [
                .exact(.receiver), .exact(.media), .exact(.broadcast), .prefix("urn:x-cast:com.google."), .any,
            ]
            condition.namespace = pick(patterns)
        }
        if random.once(in: 2) { condition.type = pick(["LAUNCH", "STOP", "PLAY", "SET_VOLUME"]) }
        if random.once(in: 3) { condition.app = pick(["AAAA0001", "AAAA0002", "AAAA0003", "AAAA0004"]) }
        if random.once(in: 3) {
            condition.appNotIn = pick([[], ["AAAA0001"], ["AAAA0001", "AAAA0003"], ["AAAA0002"]])
        }
        if random.once(in: 5) { condition.sender = AddressRange(pick(["192.0.2.0/24", "203.0.113.0/24"])) }
        if random.once(in: 6) { condition.device = pick(["test", "hall"]) }
        return condition
    }

    @Test(.timeLimit(.minutes(5)), arguments: 0..<4)
    func twoJudgesAgree(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var counts: [Bool: Int] = [:]
        for _ in 0..<5_000 {
            let message = RuleMessage(&random)
            let routed = message.routed
            let judge = SuspiciousJudge(message: message)
            for _ in 0..<10 {
                let condition = Self.condition(&random)
                var facts = MessageFacts(routed) { message.running }
                let passes = facts.judge(condition) == .fails
                counts[passes, default: 0] += 1
                if passes == judge.mayHold(condition) {
                    Issue.record("\(passes ? "passes" : "refused"): \(message) by \(condition)")
                    return
                }
            }
        }
        // Neither judge may agree with the other by letting everything or nothing through.
        #expect(counts.values.min() ?? 0 > 5_000)
    }

    /// The router does with a message what its rules come to: nothing, or not even a byte of it goes on.
    @Test(.timeLimit(.minutes(5)))
    func whatPassesIsUntouchedAndWhatDoesNotIsAnswered() throws {
        var random = SeededGenerator(seed: 99)
        for _ in 0..<300 {
            let rules = (0...random.int(0...2)).map {
                RoutingRule(name: "r\($0)", condition: Self.condition(&random), action: .reject)
            }
            let bench = try RouterBench([RoutingRulesHandler(rules: rules)])
            for _ in 0..<30 {
                let message = RuleMessage(&random)
                bench.output.sessions = Dictionary(
                    uniqueKeysWithValues: message.running.sessions.map { ($0.transportID, $0) })
                bench.output.runsMore = !message.running.isComplete
                bench.output.steps = []
                bench.router.route(message.routed)
                let judge = SuspiciousJudge(message: message)
                let mayPass = !rules.contains { judge.mayHold($0.condition) }
                #expect(bench.output.forwarded.map(\.payload) == (mayPass ? [message.payload] : []))
            }
        }
    }
}
