import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayTesting
import Glibc
import Testing

@testable import NamespaceHandlers

/// Whatever is sent, a rule lets pass only what it surely does not concern, and rules act in their order.
@Suite struct RulePropertyTests {
    /// How many messages each seed makes; the environment may ask for more.
    private static let messages = getenv("CASTWAY_RULE_MESSAGES").flatMap { Int(String(cString: $0)) } ?? 1_500

    private static func condition(_ random: inout SeededGenerator) -> RoutingCondition {
        func pick<T>(_ choices: [T]) -> T { choices[random.int(0...choices.count - 1)] }
        func some<T>(_ choices: [T], once: Int) -> [T]? {
            random.once(in: once) ? (0...random.int(0...1)).map { _ in pick(choices) } : nil
        }
        let namespaces: [NamespacePattern] = [
            .exact(.receiver), .exact(.media), .exact(.broadcast), .prefix("urn:x-cast:com.google."), .any,
        ]
        let types: [Glob] = ["LAUNCH", "STOP", "PLAY", "SET_VOLUME", "QUEUE_*", "S*"]
        let apps: [Glob] = ["AAAA0001", "AAAA0002", "AAAA0003", "AAAA0004", "AAAA000*", "BBBB*"]
        let ranges = ["192.0.2.0/24", "203.0.113.0/24", "2001:db8::/32"].compactMap { AddressRange($0) }
        let names: [Glob] = ["PyChromecast", "Pixel*", "CastSDK", "*"]
        let sources = ["sender", "plugin:quiz", "plugin:p*", "plugin:*"].compactMap { MessageSource($0) }
        let times = ["Mon-Fri 08:00-16:00", "Sat 22:00-02:00", "Sun"].compactMap { WeekTimes($0) }
        var condition = RoutingCondition(timeZone: "UTC")
        condition.namespace = some(namespaces, once: 3)
        condition.notNamespace = some(Array(namespaces.dropLast()), once: 12)
        condition.type = some(types, once: 2)
        condition.notType = some(types, once: 6)
        condition.app = some(apps, once: 3)
        condition.notApp = random.once(in: 12) ? [] : some(apps, once: 3)
        condition.sender = some(ranges, once: 6)
        condition.notSender = some(ranges, once: 12)
        condition.senderName = some(names, once: 8)
        condition.notSenderName = some(names, once: 12)
        condition.from = some(sources, once: 8)
        condition.notFrom = some(sources, once: 12)
        condition.device = some(["test", "hall", "t*"], once: 8)
        condition.notDevice = some(["hall", "h*", "te*"], once: 16)
        condition.during = some(times, once: 6)
        condition.notDuring = some(times, once: 12)
        return condition
    }

    private static func rule(_ name: String, _ random: inout SeededGenerator) -> RoutingRule {
        var rule = RoutingRule(name: name, condition: Self.condition(&random), action: .reject)
        switch random.int(0...10) {
        case 0...2: break
        case 3: rule.action = .drop
        case 4...6: rule.action = .allow
        case 10:
            rule = RoutingRule(
                name: name, condition: rule.condition, action: .forwardTo, handler: "to-\(name)")
        case 7:
            rule = RoutingRule(
                name: name, condition: rule.condition, action: .limit, limit: RoutingLimit { $0.volume = 1 })
        default:
            rule.action = .rewrite
            if random.once(in: 2) { rule.remove = [["/appId"], ["/sessionId"], ["/x"]][random.int(0...2)] }
            if rule.remove == nil || random.once(in: 3) {
                let (key, value) = [("/appId", "AAAA0001"), ("/x", "done"), ("/sessionId", "s-2")][random.int(0...2)]
                rule.set = [ConfigMapEntry(key: key, value: .string(value))]
            }
        }
        return rule
    }

    @Test(.timeLimit(.minutes(30)), arguments: 0..<4)
    func twoJudgesAgree(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var counts: [Bool: Int] = [:]
        let clock = ZoneClock("UTC")
        for _ in 0..<Self.messages {
            let message = RuleMessage(&random)
            let routed = message.routed
            let judge = SuspiciousJudge(message: message)
            for _ in 0..<10 {
                let condition = Self.condition(&random)
                let rule = CompiledRule(RoutingRule(name: "r", condition: condition, action: .reject), clock: clock)
                let isCandidate = rule.concerns(message.namespace, device: "test")
                for isSure in [false, true] {
                    var facts = MessageFacts(
                        routed, time: message.time, running: { message.running }, connect: { message.connect })
                    let judgement = isCandidate ? facts.judge(rule, surely: isSure) : .fails
                    let opinion: SuspiciousJudge.Opinion =
                        switch judgement {
                        case .holds: .surely
                        case .unclear: .perhaps
                        case .fails: .never
                        }
                    counts[judgement == .fails, default: 0] += 1
                    if opinion != judge.opinion(of: condition, forAll: isSure) {
                        Issue.record("\(judgement), surely: \(isSure): \(message) by \(condition)")
                        return
                    }
                }
            }
        }
        // Neither judge may agree with the other by letting everything or nothing through.
        #expect(counts.values.min() ?? 0 > Self.messages)
    }

    /// Rules of every action make of a message what they should, in their order.
    @Test(.timeLimit(.minutes(30)), arguments: 10..<14)
    func rulesActInTheirOrder(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var counts: [String: Int] = [:]
        for _ in 0..<Self.messages / 10 {
            let rules = (0...random.int(0...4)).map { Self.rule("r\($0)", &random) }
            let table = RuleTable(rules, timeZone: nil)
            for _ in 0..<10 {
                let message = RuleMessage(&random)
                let candidates = table.candidates(message.namespace, device: "test")
                var judging = RuleJudging(
                    message.routed, candidates, table, message.time, running: { message.running },
                    connect: { message.connect })
                let outcome = SuspiciousJudge(message: message).outcome(of: rules)
                let kind = Self.compare(judging.verdict().disposition, outcome, message)
                counts[kind ?? "", default: 0] += 1
                guard kind == nil else { continue }
                Issue.record("\(outcome): \(message) by \(rules)")
                return
            }
        }
        #expect(counts.count == 5 && counts.values.allSatisfy { $0 > Self.messages / 200 }, "\(counts)")
    }

    /// What both judges say became of a message; nil when they do not agree.
    private static func compare(
        _ disposition: Disposition, _ outcome: SuspiciousJudge.Outcome, _ message: RuleMessage
    ) -> String? {
        switch (disposition, outcome) {
        case (.pass, .passes): return "passes"
        case (.reject, .refused): return "refused"
        case (.drop, .dropped): return "dropped"
        case (.rewrite(let payload), .passesChanged(let members)):
            var json = payload.jsonObject
            json?["deep"] = nil
            return json == message.carrying(members).payload.jsonObject ? "changed" : nil
        case (.handOver(let name, let payload), .handedOver(let expected, let members)):
            var json = payload?.jsonObject
            json?["deep"] = nil
            let expectedJSON = members.flatMap { message.carrying($0).payload.jsonObject }
            return name == expected && json == expectedJSON ? "handed over" : nil
        default: return nil
        }
    }

    /// The router does with a message what its rules come to: nothing, or not even a byte of it goes on.
    @Test(.timeLimit(.minutes(5)))
    func whatPassesIsUntouchedAndWhatDoesNotIsAnswered() throws {
        var random = SeededGenerator(seed: 99)
        for _ in 0..<300 {
            let rules = (0...random.int(0...2)).map {
                var condition = Self.condition(&random)
                (condition.during, condition.notDuring) = (nil, nil)
                return RoutingRule(name: "r\($0)", condition: condition, action: .reject)
            }
            let bench = try RouterBench([RoutingRulesHandler(rules: rules)])
            for _ in 0..<30 {
                let message = RuleMessage(&random)
                bench.output.sessions = Dictionary(
                    uniqueKeysWithValues: message.running.sessions.map { ($0.transportID, $0) })
                bench.output.runsMore = !message.running.isComplete
                bench.output.connects[ConnectionID(rawValue: 1)] = message.connect
                bench.output.steps = []
                bench.router.route(message.routed)
                let judge = SuspiciousJudge(message: message)
                let mayPass = !rules.contains { judge.mayHold($0.condition) }
                #expect(bench.output.forwarded.map(\.payload) == (mayPass ? [message.payload] : []))
            }
        }
    }
}
