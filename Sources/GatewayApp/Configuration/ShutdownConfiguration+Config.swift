public import GatewayConfig

extension ShutdownConfiguration {
    /// The keys of `shutdown`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "drain",
            .duration(.zero ... .seconds(3600)),
            .defaultsTo("5s"),
            "How long connections may finish what they are doing"
        ),
        ConfigField(
            "total",
            .duration(.zero ... .seconds(3600)),
            .defaultsTo("20s"),
            "How long everything together may take before the process ends; at least `drain`"
        ),
        ConfigField(
            "stop_receivers",
            .boolean,
            .defaultsTo("false"),
            "Whether apps on real devices are stopped; otherwise media keeps playing"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            drain: section.duration("drain"),
            total: section.duration("total"),
            stopReceivers: section.boolean("stop_receivers")
        )
    }

    /// Adds what is wrong between the values.
    static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        section.requireDuration("total", exceeds: "drain", orEqual: true, problems: &problems)
    }
}
