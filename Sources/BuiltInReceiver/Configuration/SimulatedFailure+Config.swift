public import GatewayConfig

extension SimulatedFailure {
    /// The keys of one element of `virtual_devices[].apps.APP.options.failures`.
    public static let schema = ConfigSchema.object([
        ConfigField("match", .glob, .required, "Which content ids fail", example: "\"*broken*\""),
        ConfigField(
            "reason",
            .text(allowed: "A-Z0-9_", length: 1...64),
            .optional,
            "The reason in the answer",
            example: "INVALID_REQUEST"
        ),
        ConfigField(
            "detailed_error_code",
            .integer(100...999),
            .defaultsTo("104"),
            "The detailed error code in the answer"
        ),
        ConfigField("when", .word(Stage.self), .defaultsTo("load"), "Whether the load fails, or playback later on"),
        ConfigField(
            "after",
            .duration(),
            .defaultsTo("0s"),
            "How long after the load, or after playback began, it fails"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            match: Glob(section.string("match")),
            reason: section.optionalString("reason"),
            detailedErrorCode: section.integer("detailed_error_code"),
            stage: section.word("when", as: Stage.self, otherwise: .load),
            after: section.duration("after")
        )
    }
}
