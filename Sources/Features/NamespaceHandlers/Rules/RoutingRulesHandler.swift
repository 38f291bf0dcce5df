import CastWire
import GatewayConfig
import GatewayCore

/// Does with messages of senders, plugins and callers, and with those of the gateway's own sessions, what the rules of `routing.rules` say, from top to bottom.
///
/// A message of which a rule cannot tell whether it matches is treated as if it did, and is refused: the device may read what
/// this gateway cannot. A rule that allows matches only what it is sure of. What no rule could concern is not looked into.
struct RoutingRulesHandler: MessageHandler {
    let name = BuiltInHandlers.Name.rules
    let claims: [Claim]

    private let table: RuleTable
    private let time: RuleTime

    /// - Parameters:
    ///   - timeZone: the time zone of rules that name none; nil for the machine's.
    ///   - plays: how long apps have played; without it, rules that limit that let nothing play.
    init(
        rules: [RoutingRule], timeZone: String? = nil, plays: PlaySessions? = nil, time: RuleTime = .system
    ) {
        self.table = RuleTable(rules, timeZone: timeZone, plays: plays)
        self.time = time
        let legs = rules.reduce(into: Set<MessageLeg>()) { $0.formUnion($1.condition.legs) }
        self.claims = MessageLeg.allCases.filter(legs.contains).map { leg in
            Claim(.any, phase: .filter, directions: Self.directions(on: leg), leg: leg, onFailure: .closed)
        }
    }

    /// The directions that are judged: never what a device says to senders, but what an app says to the gateway's own
    /// session.
    private static func directions(on leg: MessageLeg) -> Set<MessageDirection> {
        switch leg {
        case .sender: [.toReceiver]
        case .own: Set(MessageDirection.allCases)
        }
    }

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        let candidates = self.table.candidates(
            message.message.namespace, device: message.device.name, leg: message.leg)
        guard !candidates.all.isEmpty else { return .pass }
        var judging = RuleJudging(
            message, candidates, self.table, self.time, running: { context.running },
            connect: { context.connect(of: message) })
        return judging.verdict()
    }

    func explanation(
        of namespace: Namespace, type: String?, device: String, leg: MessageLeg
    ) -> [(name: String, text: String)] {
        self.table.rules.compactMap { compiled -> (name: String, text: String)? in
            guard compiled.concerns(namespace, device: device, leg: leg), type.map(compiled.concerns(type:)) ?? true
            else {
                return nil
            }
            let rule = compiled.rule
            let reason = rule.reason.map { ": \($0)" } ?? ""
            return (name: rule.name, text: "\(rule.words)\(reason)")
        }
    }
}
