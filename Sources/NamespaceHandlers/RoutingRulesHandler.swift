import CastWire
import GatewayConfig
import GatewayCore

/// Refuses or drops what the rules of `routing.rules` describe; the first rule that matches decides.
///
/// A message of which a rule cannot tell whether it matches is treated as if it did: the device may read what this gateway
/// cannot. One that no rule could concern is not looked into.
struct RoutingRulesHandler: MessageHandler {
    let rules: [RoutingRule]

    let name = "rules"
    let claims = [Claim(.any, phase: .filter, onFailure: .closed)]

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        var facts = MessageFacts(message) { context.running }
        for rule in self.rules {
            switch facts.judge(rule.condition) {
            case .fails: continue
            case .holds: return Self.verdict(of: rule, doubt: nil)
            case .unclear(let reason): return Self.verdict(of: rule, doubt: reason)
            }
        }
        return .pass
    }

    func explanation(of namespace: Namespace, type: String?, device: String) -> [(name: String, text: String)] {
        self.rules.compactMap { rule -> (name: String, text: String)? in
            let condition = rule.condition
            if let wanted = condition.namespace, !wanted.matches(namespace) { return nil }
            if let wanted = condition.type, let type, wanted != type { return nil }
            if let wanted = condition.device, wanted != device { return nil }
            let reason = rule.reason.map { ": \($0)" } ?? ""
            return (name: rule.name, text: "\(rule.action.rawValue)s \(condition.words)\(reason)")
        }
    }

    private static func verdict(of rule: RoutingRule, doubt: String?) -> Verdict {
        let doubt = doubt.map { "cannot be judged: \($0)" }
        switch rule.action {
        case .reject:
            let text = doubt.map { "rule '\(rule.name)' \($0)" } ?? rule.reason ?? "rule '\(rule.name)'"
            return .reject(.notAllowed(text, rule: rule.name))
        case .drop: return .drop(doubt.map { "\(rule.name) \($0)" } ?? rule.name)
        }
    }
}

extension RoutingCondition {
    /// The condition as a sentence's object: `messages of type LAUNCH, of apps other than CC1AD845`.
    fileprivate var words: String {
        var parts: [String] = []
        if let namespace { parts.append("in \(namespace)") }
        if let type { parts.append("of type \(type)") }
        if let app { parts.append("of app \(app)") }
        if let appNotIn { parts.append("of apps other than \(appNotIn.joined(separator: " "))") }
        if let sender { parts.append("from \(sender)") }
        if let device { parts.append("to \(device)") }
        return "messages " + parts.joined(separator: ", ")
    }
}

/// Whether a condition of the operator's holds for a message.
enum Judgement: Equatable {
    /// It does.
    case holds
    /// It does not, however the message is read.
    case fails
    /// It may; the text says why that cannot be told.
    case unclear(String)

    /// Whether both hold.
    func and(_ other: Judgement) -> Judgement {
        switch (self, other) {
        case (.fails, _), (_, .fails): .fails
        case (.unclear, _): self
        case (.holds, _): other
        }
    }
}
