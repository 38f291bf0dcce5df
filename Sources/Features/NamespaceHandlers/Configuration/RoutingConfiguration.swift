package import GatewayConfig
package import GatewayCore

/// `routing`: what becomes of messages before and beside the handlers.
package struct RoutingConfiguration: ConfigSettings {
    /// The settings of the router: `default`, `deadlines` and `on_failure`.
    package var router = RouterSettings()
    /// The rules in the order in which they are asked.
    package var rules: [RoutingRule] = []
    /// The time zone of the rules that name none, such as `Europe/Berlin`; nil for that of the machine.
    package var timeZone: String?

    package static let keys: [Key] = [
        Key("default", \.router.defaultAction, .word, "What happens to a message that no handler takes"),
        Key(
            "rules", \.rules, .list(of: .object, uniqueKey: "name"),
            "Rules, judged in this order before any handler; the first that allows or refuses a message decides"),
        .optional(
            "time_zone", \.timeZone, .text(maximumBytes: 64),
            "The time zone of rules that name none; that of the machine without it", example: "Europe/Berlin"),
        .section(
            "deadlines", "How long handlers may take for one message",
            [
                Key(
                    "filter", \.router.filterDeadline, .duration(.milliseconds(1) ... .seconds(10)),
                    "How long a filter may take"),
                Key(
                    "handle", \.router.handleDeadline, .duration(.milliseconds(1) ... .seconds(10)),
                    "How long a handler may take"),
            ]),
        Key(
            "on_failure", \.router.onFailure, .word,
            "What a missed deadline or a failing handler means: `open` goes on as if it had passed, `closed` rejects"),
    ]

    package init() {}

    /// Adds what is wrong between the values.
    package static func check(
        _ section: ConfigSection, devices: NamedDevices, problems: inout ConfigProblems
    ) {
        RoutingRuleCheck.checkTimeZone(of: section, &problems)
        for rule in section.sections("rules") {
            RoutingRuleCheck(rule: rule, devices: devices).check(&problems)
        }
    }
}
