public import GatewayConfig
public import GatewayCore

/// `routing`: what becomes of messages before and beside the handlers.
public struct RoutingConfiguration: ConfigSettings {
    /// What the router does: `default`, `deadlines` and `on_failure`.
    public var router = RouterSettings()
    /// The rules in the order in which they are asked.
    public var rules: [RoutingRule] = []

    /// The keys of `routing`.
    public static let keys: [Key] = [
        Key("default", \.router.defaultAction, .word, "What happens to a message that no handler takes"),
        Key(
            "rules", \.rules, .list(of: .object, uniqueKey: "name"),
            "Rules, asked in this order before any handler; the first that matches, or cannot tell, decides"),
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

    /// Makes a configuration with the defaults of `gateway.yaml`.
    public init() {}

    /// Adds what is wrong between the values.
    ///
    /// - Parameters:
    ///   - section: The checked section.
    ///   - virtualDevices: The names of all virtual devices; nil when they are not known for sure.
    ///   - problems: Receives what is wrong.
    public static func check(_ section: ConfigSection, virtualDevices: [String]?, problems: inout ConfigProblems) {
        for rule in section.sections("rules") {
            RoutingRule.check(rule, virtualDevices: virtualDevices, problems: &problems)
        }
    }
}
