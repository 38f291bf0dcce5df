public import GatewayConfig

extension SetupLimits {
    /// The keys of `connections.setup`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "handshake_timeout",
            .duration(.milliseconds(10) ... .seconds(300)),
            .defaultsTo("10s"),
            "How long a TLS handshake may take"
        ),
        ConfigField(
            "request_timeout",
            .duration(.milliseconds(10) ... .seconds(300)),
            .defaultsTo("10s"),
            "How long a request may take from its first byte to its last, and how long its sender may read nothing of the "
                + "answer"
        ),
        ConfigField(
            "idle_timeout",
            .duration(.milliseconds(10) ... .seconds(3600)),
            .defaultsTo("10s"),
            "How long a connection may be without a request"
        ),
        ConfigField(
            "max_total",
            .integer(1...65_536),
            .defaultsTo("128"),
            "How many connections there may be to the set-up services of the whole gateway; fewer when descriptors are short",
            reload: .hot
        ),
        ConfigField(
            "max_per_address",
            .integer(1...65_536),
            .defaultsTo("16"),
            "How many connections there may be from one address (IPv6: from one /64)",
            reload: .hot
        ),
        ConfigField(
            "new_per_second",
            .oneOf(.integer(1...100_000), .word("unlimited")),
            .defaultsTo("50"),
            "How many new connections a second one address may make; twice as many may come at once",
            reload: .hot
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            maxTotal: section.integer("max_total"),
            maxPerAddress: section.integer("max_per_address"),
            newPerSecond: section.optionalInteger("new_per_second"),
            handshakeTimeout: section.duration("handshake_timeout"),
            requestTimeout: section.duration("request_timeout"),
            idleTimeout: section.duration("idle_timeout")
        )
    }
}
