import GatewayConfig
import GatewayCore

/// Checks what the values of one rule say together, and that the texts in it have a meaning.
struct RoutingRuleCheck {
    let rule: ConfigSection
    let devices: NamedDevices

    func check(_ problems: inout ConfigProblems) {
        if let condition = self.rule.optionalSection("when") { self.check(condition, &problems) }
        self.checkParts(&problems)
        self.checkLeg(&problems)
        for entry in self.rule.map("set") { Self.checkPointer(entry.key, at: entry.keyLocation, "set", &problems) }
        for pointer in Self.values("remove", of: self.rule) {
            if let text = pointer.string { Self.checkPointer(text, at: pointer.location, "remove", &problems) }
        }
        if let limit = self.rule.optionalSection("limit") { Self.check(limit, &problems) }
    }

    /// Adds what is wrong with the name of a time zone, wherever it is written.
    static func checkTimeZone(of section: ConfigSection, _ problems: inout ConfigProblems) {
        guard let name = section.optionalString("time_zone"), !ZoneClock.isKnown(name) else { return }
        problems.addUndefined(
            name, what: "time zone", at: section.location("time_zone"), known: ZoneClock.knownNames,
            place: "the time zone database")
    }

    // MARK: The condition

    private func check(_ condition: ConfigSection, _ problems: inout ConfigProblems) {
        let keys = RoutingCondition.keys.map(\.name).filter { $0 != "time_zone" }
        if !keys.contains(where: { condition.has($0) }) {
            let shown = keys.filter { !$0.hasPrefix("not_") && $0 != "app_not_in" }
            problems.add(
                .emptyCondition, at: condition.location,
                "'\(condition.path)' is empty, so the rule would match every message",
                hint: "name what it is about: \(shown.joined(separator: ", "))")
        }
        self.checkDevices(condition, &problems)
        for key in ["during", "not_during"] {
            for times in Self.values(key, of: condition) {
                guard let text = times.string, WeekTimes(text) == nil else { continue }
                problems.add(
                    .malformedValue, at: times.location,
                    "'\(condition.path(key))' must be days, hours or both, not '\(text)'",
                    hint: "such as Mon-Fri 08:00-16:00, Sat,Sun, or 22:00-06:00")
            }
        }
        for key in ["from", "not_from"] {
            for source in Self.values(key, of: condition) {
                guard let text = source.string, MessageSource(text) == nil else { continue }
                problems.add(
                    .notAllowed, at: source.location,
                    "'\(condition.path(key))' must be 'sender', 'api', 'mqtt', 'own' or 'plugin:NAME', not '\(text)'")
            }
        }
        Self.checkTimeZone(of: condition, &problems)
        if condition.has("time_zone"), !condition.has("during"), !condition.has("not_during") {
            problems.add(
                .inconsistent, at: condition.location("time_zone"),
                "'\(condition.path("time_zone"))' needs 'during' or 'not_during' beside it")
        }
        if condition.has("not_app"), condition.has("app_not_in") {
            problems.add(
                .inconsistent, at: condition.location("app_not_in"),
                "'\(condition.path("app_not_in"))' and 'not_app' are two names of one condition",
                hint: "keep 'not_app'")
        }
    }

    private func checkDevices(_ condition: ConfigSection, _ problems: inout ConfigProblems) {
        let legs = Self.legs(of: condition)
        for key in ["device", "not_device"] {
            for device in Self.values(key, of: condition) { self.devices.check(device, on: legs, &problems) }
        }
    }

    private static func legs(of condition: ConfigSection?) -> Set<MessageLeg> {
        guard let condition, condition.has("leg") else { return [.sender] }
        return Set(Self.values("leg", of: condition).compactMap { $0.string.flatMap(MessageLeg.init(rawValue:)) })
    }

    /// Adds what a rule names that messages of its leg never have.
    private func checkLeg(_ problems: inout ConfigProblems) {
        let condition = self.rule.optionalSection("when")
        guard Self.legs(of: condition) == [.own] else { return }
        for key in ["sender", "not_sender", "sender_name", "not_sender_name"] {
            guard let condition, condition.has(key) else { continue }
            problems.add(
                .inconsistent, at: condition.location(key),
                "'\(condition.path(key))' never matches on the leg 'own', where there are no senders",
                hint: "'from' tells who speaks there: api, mqtt, plugin:NAME, own")
        }
        guard let limit = self.rule.optionalSection("limit"), limit.has("play") else { return }
        problems.add(
            .inconsistent, at: limit.location("play"),
            "'\(limit.path("play"))' is for what senders play, and the rule is about the leg 'own' alone")
    }

    // MARK: The action

    /// The keys that belong to one action each, at least one of which it needs.
    private static let partsOfActions: [(action: RoutingRule.Action, parts: [String])] = [
        (.rewrite, ["set", "remove"]), (.limit, ["limit"]), (.forwardTo, ["handler"]),
    ]

    private func checkParts(_ problems: inout ConfigProblems) {
        guard let text = self.rule.optionalString("action"), let action = RoutingRule.Action(rawValue: text) else {
            return
        }
        for (owner, parts) in Self.partsOfActions {
            if action == owner, !parts.contains(where: { self.rule.has($0) }) {
                let named = parts.map { "'\($0)'" }.joined(separator: " or ")
                problems.add(
                    .inconsistent, at: self.rule.location("action"),
                    "'\(self.rule.path("action"))' \(text) needs \(named) beside it")
            }
            guard action != owner else { continue }
            for part in parts where self.rule.has(part) {
                problems.add(
                    .inconsistent, at: self.rule.location(part),
                    "'\(self.rule.path(part))' belongs to action \(owner.rawValue), not \(text)")
            }
        }
    }

    private static func check(_ limit: ConfigSection, _ problems: inout ConfigProblems) {
        if !limit.has("rate"), !limit.has("volume"), !limit.has("play") {
            problems.add(.inconsistent, at: limit.location, "'\(limit.path)' needs 'rate', 'volume' or 'play'")
        }
        if let text = limit.optionalString("rate"), MessageRate(text) == nil {
            problems.add(
                .malformedValue, at: limit.location("rate"),
                "'\(limit.path("rate"))' must be a number of messages and a time, not '\(text)'",
                hint: "such as 10/1m; at most 1000000 messages, at most 24h")
        }
    }

    private static func checkPointer(
        _ text: String, at location: ConfigLocation, _ key: String, _ problems: inout ConfigProblems
    ) {
        let path = "routing.rules[].\(key)"
        guard let pointer = JSONPointer(text) else {
            problems.add(
                .malformedValue, at: location, "'\(path)' must be a JSON pointer, not '\(text)'",
                hint: text.hasPrefix("/") ? "'~' is written ~0" : "write /\(text)")
            return
        }
        guard let first = pointer.names.first, PayloadRewrite.protectedNames.contains(first) else { return }
        problems.add(
            .notAllowed, at: location, "'\(path)' must not change '/\(first)'",
            hint: "what routes a message and its answer stays as the sender wrote it")
    }

    /// The values of a key that takes one or a list of them.
    private static func values(_ key: String, of section: ConfigSection) -> [ConfigValue] {
        guard let value = section.value(key) else { return [] }
        return value.list ?? [value]
    }
}
