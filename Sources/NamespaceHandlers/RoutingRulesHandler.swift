import CastWire
import GatewayConfig
import GatewayCore

/// Refuses or drops what the rules of `routing.rules` describe; the first rule that matches decides.
struct RoutingRulesHandler: MessageHandler {
    let rules: [RoutingRule]

    let name = "rules"
    let claims = [Claim(.any, phase: .filter)]

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        guard let rule = self.rules.first(where: { Self.matches($0.condition, message) }) else { return .pass }
        switch rule.action {
        case .reject: return .reject(.notAllowed(rule.reason ?? "rule '\(rule.name)'"))
        case .drop: return .drop(rule.name)
        }
    }

    /// A condition holds when everything that it names does.
    static func matches(_ condition: RoutingCondition, _ message: RoutedMessage) -> Bool {
        if let namespace = condition.namespace, !namespace.matches(message.message.namespace) { return false }
        if let type = condition.type, type != message.summary.type { return false }
        if let device = condition.device, device != message.device.name { return false }
        if let range = condition.sender {
            guard let address = message.senderAddress, range.contains(address) else { return false }
        }
        guard condition.app != nil || condition.appNotIn != nil else { return true }
        // A message that concerns no app is none of an app's rule.
        guard let app = Self.app(of: message) else { return false }
        if let wanted = condition.app, wanted != app { return false }
        if let others = condition.appNotIn, others.contains(app) { return false }
        return true
    }

    /// The app that a message asks for, or that it is addressed to.
    private static func app(of message: RoutedMessage) -> String? {
        if message.message.namespace == .receiver, message.summary.type == ReceiverRequest.Kind.launch.rawValue {
            return ReceiverRequest(message.message.payload)?.appID?.rawValue
        }
        return message.session?.appID.rawValue
    }
}
