public import GatewayConfig

extension RoutingRule {
    /// The keys of one element of `routing.rules`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "name",
            .text(maximumBytes: 64),
            .required,
            "The name of the rule in logs and in `castway route explain`",
            example: "no-unknown-apps"
        ),
        ConfigField(
            "when",
            RoutingCondition.schema,
            .required,
            "Which messages the rule is about; everything that is written must match",
            example: "{type: LAUNCH, app_not_in: [CC1AD845]}"
        ),
        ConfigField(
            "action",
            .word(Action.self),
            .required,
            "`reject` answers with an error, `drop` does not answer",
            example: "reject"
        ),
        ConfigField(
            "reason",
            .text(maximumBytes: 200),
            .optional,
            "The reason in the log and in the answer",
            example: "app not allowed here"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            name: section.string("name"),
            condition: RoutingCondition(reading: section.section("when")),
            action: section.word("action", as: Action.self, otherwise: .reject),
            reason: section.optionalString("reason")
        )
    }

    /// Adds what is wrong between the values of one rule: an empty condition, an unknown device.
    static func check(_ section: ConfigSection, virtualDevices: [String]?, problems: inout ConfigProblems) {
        guard let condition = section.optionalSection("when") else { return }
        if RoutingCondition.isEmpty(condition) {
            problems.add(
                .emptyCondition,
                at: condition.location,
                "'\(condition.path)' is empty, so the rule would match every message",
                hint: "name what it is about: \(RoutingCondition.keys.joined(separator: ", "))"
            )
        }
        if let device = condition.optionalString("device"), let virtualDevices, !virtualDevices.contains(device) {
            problems.addUndefined(
                device,
                what: "virtual device",
                at: condition.location("device"),
                known: virtualDevices,
                place: "virtual_devices"
            )
        }
    }
}
