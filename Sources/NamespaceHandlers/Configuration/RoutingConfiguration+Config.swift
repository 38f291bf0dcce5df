public import GatewayConfig
import GatewayCore

extension RoutingConfiguration {
    /// The keys of `routing`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "default",
            .word(Fallback.self),
            .defaultsTo("forward"),
            "What happens to a message that nobody handles"
        ),
        ConfigField(
            "rules",
            .list(of: RoutingRule.schema, uniqueKey: "name"),
            .defaultsTo("[]"),
            "Rules, asked in this order before any handler; the first that matches, or cannot tell, decides"
        ),
        ConfigField(
            "deadlines",
            .object([
                ConfigField(
                    "filter",
                    .duration(.milliseconds(1) ... .seconds(10)),
                    .defaultsTo("250ms"),
                    "How long a filter may take"
                ),
                ConfigField(
                    "handle",
                    .duration(.milliseconds(1) ... .seconds(10)),
                    .defaultsTo("1s"),
                    "How long a handler may take"
                ),
            ]),
            .defaultsTo("{}"),
            "How long handlers may take for one message"
        ),
        ConfigField(
            "on_failure",
            .word(FailurePolicy.self),
            .defaultsTo("open"),
            "What a missed deadline or a failing handler means: `open` goes on as if it had passed, `closed` rejects"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        let deadlines = section.section("deadlines")
        self.init(
            fallback: section.word("default", as: Fallback.self, otherwise: .forward),
            rules: section.sections("rules").map { RoutingRule(reading: $0) },
            filterDeadline: deadlines.duration("filter"),
            handleDeadline: deadlines.duration("handle"),
            onFailure: section.word("on_failure", as: FailurePolicy.self, otherwise: .open)
        )
    }

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
