public import GatewayConfig

extension SenderLimits {
    /// The keys of `connections.senders`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "heartbeat",
            .object([
                ConfigField(
                    "interval",
                    .duration(.milliseconds(10) ... .seconds(3600)),
                    .defaultsTo("5s"),
                    "How often a silent sender is pinged"
                ),
                ConfigField(
                    "timeout",
                    .duration(.milliseconds(10) ... .seconds(3600)),
                    .defaultsTo("20s"),
                    "How long a sender may be silent before its connection is closed; longer than the interval"
                ),
            ]),
            .defaultsTo("{}"),
            "Pings towards senders"
        ),
        ConfigField(
            "handshake_timeout",
            .duration(.milliseconds(10) ... .seconds(300)),
            .defaultsTo("10s"),
            "How long a TLS handshake may take"
        ),
        ConfigField(
            "max_total",
            .integer(1...65_536),
            .defaultsTo("1024"),
            "How many senders may be connected to the whole gateway",
            reload: .hot
        ),
        ConfigField(
            "max_per_address",
            .integer(1...65_536),
            .defaultsTo("64"),
            "How many senders may be connected from one address",
            reload: .hot
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        let heartbeat = section.section("heartbeat")
        self.init(
            heartbeatInterval: heartbeat.duration("interval"),
            heartbeatTimeout: heartbeat.duration("timeout"),
            handshakeTimeout: section.duration("handshake_timeout"),
            maxTotal: section.integer("max_total"),
            maxPerAddress: section.integer("max_per_address")
        )
    }

    /// Adds what is wrong between the values.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        section.section("heartbeat").requireDuration("timeout", exceeds: "interval", problems: &problems)
    }
}
