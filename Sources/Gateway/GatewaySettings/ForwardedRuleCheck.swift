import CastWire
import GatewayConfig
import GatewayCore
import NamespaceHandlers

/// Checks that the handlers to which rules hand messages over are there, and may see those messages.
struct ForwardedRuleCheck {
    /// The handlers as the gateway registers them.
    let table: HandlerTable
    /// The names of the virtual devices.
    let devices: [String]

    /// Adds what is wrong with the rules.
    /// - Parameter sections: the checked elements of `routing.rules`, in the order of the rules.
    func check(_ rules: [RoutingRule], _ sections: [ConfigSection], _ problems: inout ConfigProblems) {
        for (rule, section) in zip(rules, sections) {
            guard rule.action == .forwardTo, let handler = rule.handler else { continue }
            self.check(rule, handler, section.location("handler"), &problems)
        }
    }

    private func check(
        _ rule: RoutingRule, _ name: String, _ location: ConfigLocation, _ problems: inout ConfigProblems
    ) {
        let entries = self.table.entries.filter { $0.handler.name == name }
        let legs = rule.condition.legs
        let owning = entries.filter { $0.claim.phase == .handle && legs.contains($0.claim.leg) }
        guard let handler = entries.first?.handler else {
            return problems.addUndefined(name, what: "handler", at: location, known: self.owners, place: "the gateway")
        }
        guard !owning.isEmpty else {
            let place = legs == [.own] ? " on the leg 'own'" : ""
            return problems.add(
                .inconsistent, at: location,
                "'\(name)' owns no messages\(place), so rule '\(rule.name)' cannot leave any to it alone",
                hint: "name one of \(self.owners.prefix(6).joined(separator: ", "))")
        }
        let missing = self.devices(of: rule).filter { device in
            !owning.contains { $0.claim.leg == .sender && $0.claim.devices?.contains(device) ?? true }
        }
        if !missing.isEmpty {
            problems.add(
                .inconsistent, at: location,
                "'\(name)' answers nothing on \(missing.prefix(6).joined(separator: ", ")), where rule '\(rule.name)' "
                    + "leaves messages to it",
                hint: "name the devices under 'when'")
        }
        // What real devices there are, and what their apps say, is not known before they run; the router looks at each message.
        guard handler.isConfinedToClaims, legs.contains(.sender) else { return }
        for pattern in rule.condition.namespace ?? [.any] where !self.grants(owning.map(\.claim), pattern, to: rule) {
            let what = pattern == .any ? "every namespace" : "'\(pattern)'"
            problems.add(
                .inconsistent, at: location,
                "rule '\(rule.name)' leaves messages of \(what) to '\(name)', which is not "
                    + "granted all of them",
                hint: "grant them in the phase handle, or name under 'when' what is granted")
        }
    }

    /// The handlers that own messages.
    private var owners: [String] {
        var names: [String] = []
        for entry in self.table.entries where entry.claim.phase == .handle && !names.contains(entry.handler.name) {
            names.append(entry.handler.name)
        }
        return names
    }

    /// The virtual devices that a rule is about.
    private func devices(of rule: RoutingRule) -> [String] {
        guard rule.condition.legs.contains(.sender) else { return [] }
        return self.devices.filter { name in
            rule.condition.device?.contains { $0.matches(name) } ?? true
                && !(rule.condition.notDevice?.contains { $0.matches(name) } ?? false)
        }
    }

    /// Whether claims want every message of a namespace that a rule may leave to their handler.
    private func grants(_ claims: [Claim], _ pattern: NamespacePattern, to rule: RoutingRule) -> Bool {
        let types = Self.texts(rule.condition.type)
        let apps = Self.texts(rule.condition.app)
        let fitting = claims.filter { claim in
            claim.leg == .sender && claim.directions.contains(.toReceiver) && Self.covers(claim.pattern, pattern)
                && (claim.apps == nil
                    || apps.map { Set($0.map(AppID.init(rawValue:))).isSubset(of: claim.apps ?? []) } ?? false)
        }
        return self.devices(of: rule).allSatisfy { device in
            let here = fitting.filter { $0.devices?.contains(device) ?? true }
            if here.contains(where: { $0.types == nil }) { return true }
            guard let types else { return false }
            return types.isSubset(of: here.reduce(into: Set()) { $0.formUnion($1.types ?? []) })
        }
    }

    /// The texts that a condition names; nil when it names none, or patterns.
    private static func texts(_ globs: [Glob]?) -> Set<String>? {
        guard let globs, !globs.contains(where: \.hasWildcards) else { return nil }
        return Set(globs.map(\.pattern))
    }

    /// Whether every namespace of one pattern is one of another.
    private static func covers(_ wide: NamespacePattern, _ narrow: NamespacePattern) -> Bool {
        switch (wide, narrow) {
        case (.any, _): true
        case (_, .any): false
        case (_, .exact(let namespace)): wide.matches(namespace)
        case (.prefix(let one), .prefix(let other)): other.hasPrefix(one)
        case (.exact, .prefix): false
        }
    }
}
