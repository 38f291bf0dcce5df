import CastWire
import GatewayConfig
import GatewayCore
import NIOCore

/// One message on its way through the rules.
struct RuleJudging {
    /// The result of one rule.
    private enum Step {
        case next
        /// All rules are judged again, with another payload.
        case again(CastMessage.Payload)
        case end(Verdict)
    }

    private let candidates: CandidateRules
    private let table: RuleTable
    private let time: RuleTime
    private let running: () -> RunningApps
    private let connect: () -> CastMessage?
    private var facts: MessageFacts
    private var isRewritten = false
    /// The rules that act once on a message and have done so, by their places: those that rewrite, and those with a rate.
    private var spent: [Int] = []

    init(
        _ message: RoutedMessage, _ candidates: CandidateRules, _ table: RuleTable, _ time: RuleTime,
        running: @escaping () -> RunningApps, connect: @escaping () -> CastMessage? = { nil }
    ) {
        self.candidates = candidates
        self.table = table
        self.time = time
        self.running = running
        self.connect = connect
        self.facts = MessageFacts(message, time: time, running: running, connect: connect)
    }

    /// Judges the message by all rules that could concern it.
    mutating func verdict() -> Verdict {
        while let step = self.round() {
            switch step {
            case .again(let payload):
                self.isRewritten = true
                let message = self.facts.message.carrying(payload)
                guard message.message.isSendable else {
                    return .reject(.notAllowed("what the rules make of it is too large for a message"))
                }
                self.facts = MessageFacts(
                    message, time: self.time, running: self.running, connect: self.connect)
            case .end(let verdict): return verdict
            case .next: return self.passing
            }
        }
        return self.passing
    }

    /// The message goes on as the rules have left it.
    private var passing: Verdict { self.isRewritten ? .rewrite(self.facts.message.message.payload) : .pass }

    /// Judges the rules from top to bottom; nil when none of them ends it.
    private mutating func round() -> Step? {
        for index in self.rules() where !self.spent.contains(index) || self.table.rules[index].limitsAgain {
            let step = self.judge(self.table.rules[index], at: index)
            if case .next = step { continue }
            return step
        }
        return nil
    }

    private mutating func rules() -> RuleSequence {
        guard self.candidates.dependsOnType else { return self.candidates.allRules }
        return switch self.facts.type {
        case .absent: self.candidates.rules(ofType: nil)
        case .known(let type): self.candidates.rules(ofType: type)
        case .unclear: self.candidates.allRules
        }
    }

    private mutating func judge(_ rule: CompiledRule, at index: Int) -> Step {
        let action = rule.rule.action
        switch self.facts.judge(rule, surely: action == .allow) {
        case .fails: return .next
        case .unclear(let doubt): return action == .allow ? .next : .end(Self.refusal(by: rule.rule, doubt: doubt))
        case .holds: break
        }
        switch action {
        case .allow: return .end(self.passing)
        case .reject, .drop: return .end(Self.refusal(by: rule.rule, doubt: nil))
        case .rewrite:
            guard let rewrite = rule.rewrite else { return .next }
            let payload = self.facts.message.message.payload
            let step = self.step(rewrite.apply(to: payload, read: self.facts.reading), of: rule)
            if case .again = step { self.spent.append(index) }
            return step
        case .limit: return self.limit(by: rule, at: index)
        case .forwardTo:
            guard let handler = rule.rule.handler else { return .end(Self.refusal(by: rule.rule, doubt: nil)) }
            return .end(Verdict(.handOver(handler, self.isRewritten ? self.facts.message.message.payload : nil)))
        }
    }

    private mutating func limit(by rule: CompiledRule, at index: Int) -> Step {
        if let volume = rule.volume {
            let step = self.limit(volume, of: rule)
            if case .next = step {} else { return step }
        }
        if let play = rule.play {
            let step = self.limit(play: play, by: rule)
            if case .next = step {} else { return step }
        }
        guard let buckets = rule.buckets, !self.spent.contains(index) else { return .next }
        self.spent.append(index)
        if buckets.take(RateBuckets.Key(self.facts.message), at: self.time.now()) { return .next }
        return .end(Self.excess(of: rule.rule, rule.rule.limit?.rate?.description ?? "less"))
    }

    private mutating func limit(play time: TimeAmount, by rule: CompiledRule) -> Step {
        guard self.facts.message.message.namespace == .media, self.facts.message.leg == .sender else { return .next }
        switch self.facts.type {
        case .absent: return .next
        case .unclear(let doubt): return .end(Self.refusal(by: rule.rule, doubt: doubt))
        case .known(let type): guard PlaySessions.startingTypes.contains(type) else { return .next }
        }
        guard let app = self.facts.message.session else {
            return .end(Self.refusal(by: rule.rule, doubt: "the app that it is addressed to is not known"))
        }
        let session = PlaySessions.Session(
            rule: rule.rule.name, device: self.facts.message.device.name, id: app.sessionID)
        if self.table.plays?.mayPlay(session, for: time, running: self.running()) ?? false { return .next }
        return .end(Self.excess(of: rule.rule, (rule.rule.limit?.play?.configText ?? "less") + " of play"))
    }

    /// The refusal of what exceeds a limit.
    private static func excess(of rule: RoutingRule, _ limit: String) -> Verdict {
        .reject(.notAllowed(rule.reason ?? "rule '\(rule.name)' allows \(limit)", rule: rule.name))
    }

    private mutating func limit(_ volume: VolumeCeiling, of rule: CompiledRule) -> Step {
        let namespace = self.facts.message.message.namespace
        guard namespace == .receiver || namespace == .media else { return .next }
        switch self.facts.type {
        case .known("SET_VOLUME"): return self.step(volume.apply(to: self.facts.message.message.payload), of: rule)
        case .unclear(let doubt): return .end(Self.refusal(by: rule.rule, doubt: doubt))
        case .known, .absent: return .next
        }
    }

    private func step(_ outcome: PayloadRewrite.Outcome, of rule: CompiledRule) -> Step {
        switch outcome {
        case .unchanged: .next
        case .changed(let payload): .again(payload)
        case .unclear(let doubt): .end(Self.refusal(by: rule.rule, doubt: doubt))
        }
    }

    private static func refusal(by rule: RoutingRule, doubt: String?) -> Verdict {
        let doubt = doubt.map { "cannot be judged: \($0)" }
        if rule.action == .drop { return .drop(doubt.map { "\(rule.name) \($0)" } ?? rule.name) }
        let text = doubt.map { "rule '\(rule.name)' \($0)" } ?? rule.reason ?? "rule '\(rule.name)'"
        return .reject(.notAllowed(text, rule: rule.name))
    }
}
