import GatewayConfig
import GatewayCore

extension RoutingRule {
    /// The rule as a sentence's predicate: `rejects messages of type LAUNCH, of apps other than CC1AD845`.
    var words: String {
        var text = "\(self.action == .forwardTo ? "forward" : self.action.rawValue)s \(self.condition.words)"
        if let handler { text += ", to the handler '\(handler)'" }
        for entry in self.set ?? [] { text += ", sets \(entry.key)" }
        for pointer in self.remove ?? [] { text += ", removes \(pointer)" }
        if let rate = self.limit?.rate { text += ", to \(rate)" }
        if let play = self.limit?.play { text += ", to play for \(play.configText)" }
        if let volume = self.limit?.volume { text += ", to volume \(volume)" }
        return text
    }
}

extension RoutingCondition {
    /// The condition as a sentence's object.
    fileprivate var words: String {
        var parts: [String] = []
        func add(_ words: String, _ values: [some CustomStringConvertible]?) {
            if let values { parts.append("\(words) \(values.map(\.description).joined(separator: " "))") }
        }
        add("in", self.namespace)
        add("outside", self.notNamespace)
        add("of type", self.type)
        add("of types other than", self.notType)
        add("of app", self.app)
        add("of apps other than", self.notApp)
        add("from", self.sender)
        add("from outside", self.notSender)
        add("from senders called", self.senderName)
        add("from senders called other than", self.notSenderName)
        add("from", self.from)
        add("not from", self.notFrom)
        if let leg { parts.append("on the leg \(leg.map(\.rawValue).joined(separator: " or "))") }
        add("to", self.device)
        add("to devices other than", self.notDevice)
        let zone = self.timeZone.map { [" (", $0, ")"].joined() } ?? ""
        if let during { parts.append("during \(Self.list(during))\(zone)") }
        if let notDuring { parts.append("not during \(Self.list(notDuring))\(zone)") }
        return "messages " + parts.joined(separator: ", ")
    }

    private static func list(_ times: [WeekTimes]) -> String { times.map(\.description).joined(separator: " and ") }
}
