public import GatewayConfig

extension ConnectionsConfiguration {
    /// The keys of `connections`, without `senders`, which belongs to the virtual devices.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "heartbeat",
            .object([
                ConfigField(
                    "interval",
                    .duration(.milliseconds(10) ... .seconds(3600)),
                    .defaultsTo("5s"),
                    "How often a silent device is pinged"
                ),
                ConfigField(
                    "timeout",
                    .duration(.milliseconds(10) ... .seconds(3600)),
                    .defaultsTo("8s"),
                    "How long a device may be silent before its connection is closed; longer than the interval"
                ),
            ]),
            .defaultsTo("{}"),
            "Pings towards devices"
        ),
        ConfigField(
            "reconnect",
            .object([
                ConfigField(
                    "initial",
                    .duration(.milliseconds(1) ... .seconds(3600)),
                    .defaultsTo("250ms"),
                    "The pause before the first attempt; it doubles from attempt to attempt"
                ),
                ConfigField(
                    "max",
                    .duration(.milliseconds(1) ... .seconds(86_400)),
                    .defaultsTo("30s"),
                    "The longest pause between two attempts"
                ),
                ConfigField("jitter", .number(0...1), .defaultsTo("0.2"), "By which share a pause varies at random"),
            ]),
            .defaultsTo("{}"),
            "How a lost device is dialled again",
            reload: .hot
        ),
        ConfigField(
            "dial_timeout",
            .duration(.milliseconds(10) ... .seconds(300)),
            .defaultsTo("5s"),
            "How long TCP and TLS may take together"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        let heartbeat = section.section("heartbeat")
        let reconnect = section.section("reconnect")
        self.init(
            heartbeatInterval: heartbeat.duration("interval"),
            heartbeatTimeout: heartbeat.duration("timeout"),
            reconnectInitial: reconnect.duration("initial"),
            reconnectMaximum: reconnect.duration("max"),
            reconnectJitter: reconnect.number("jitter"),
            dialTimeout: section.duration("dial_timeout")
        )
    }

    /// Adds what is wrong between the values.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        section.section("heartbeat").requireDuration("timeout", exceeds: "interval", problems: &problems)
        section.section("reconnect")
            .requireDuration("max", exceeds: "initial", orEqual: true, problems: &problems)
    }
}
