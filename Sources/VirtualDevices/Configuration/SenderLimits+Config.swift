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
            "frame_timeout",
            .duration(.milliseconds(10) ... .seconds(300)),
            .defaultsTo("10s"),
            "How long a message may take from its first byte to its last"
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
            "How many senders may be connected from one address (IPv6: from one /64)",
            reload: .hot
        ),
        ConfigField(
            "new_per_second",
            .oneOf(.integer(1...100_000), .word("unlimited")),
            .defaultsTo("50"),
            "How many new connections a second one address may make; twice as many may come at once",
            reload: .hot
        ),
        ConfigField(
            "messages_per_second",
            .oneOf(.integer(1...10_000_000), .word("unlimited")),
            .defaultsTo("2000"),
            "How many messages a second one address may send to one virtual device; a quarter may come at once. Whoever "
                + "sends more is read more slowly",
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
            frameTimeout: section.duration("frame_timeout"),
            maxTotal: section.integer("max_total"),
            maxPerAddress: section.integer("max_per_address"),
            newPerSecond: section.optionalInteger("new_per_second"),
            messagesPerSecond: section.optionalInteger("messages_per_second")
        )
    }

    /// Adds what is wrong between the values.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        section.section("heartbeat").requireDuration("timeout", exceeds: "interval", problems: &problems)
    }
}
