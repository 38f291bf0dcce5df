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
                    .defaultsTo("7500ms"),
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
                    .defaultsTo("10s"),
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
        ConfigField(
            "verify_device_certificate",
            .word(CertificateVerification.self),
            .defaultsTo("warn"),
            "Whether devices have to prove that they are Cast devices: `off` asks nothing, `warn` asks and uses the "
                + "device whatever it answers, `require` hangs up on those that cannot. Devices in the field have "
                + "certificates that expired, so `warn` is for finding out. Without `trust_anchors`, `warn` asks nothing",
            example: "require"
        ),
        ConfigField(
            "accept_missing_nonce",
            .boolean,
            .defaultsTo("false"),
            "Whether a device whose proof does not repeat the nonce that it was sent counts as verified. Such a proof may "
                + "have been recorded; some devices give no other. A proof with another nonce never counts"
        ),
        ConfigField(
            "trust_anchors",
            .list(of: .path),
            .defaultsTo("[]"),
            "PEM files with the root certificates that devices' proofs have to lead to. Castway brings none along; its "
                + "own is written by `castway identity export-root`",
            example: "[/etc/castway/anchors/devices.pem]"
        ),
        ConfigField(
            "revocation_anchors",
            .list(of: .path),
            .defaultsTo("[]"),
            "PEM files with the root certificates that the signers of revocation lists have to lead to; without any, "
                + "those of `trust_anchors`. A list is optional, and one that does not hold revokes nothing",
            example: "[/etc/castway/anchors/revocation.pem]"
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
            dialTimeout: section.duration("dial_timeout"),
            certificateVerification: section.word(
                "verify_device_certificate", as: CertificateVerification.self, otherwise: .warn),
            acceptsMissingNonce: section.boolean("accept_missing_nonce"),
            trustAnchors: section.strings("trust_anchors"),
            revocationAnchors: section.strings("revocation_anchors")
        )
    }

    /// Adds what is wrong between the values.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        section.section("heartbeat").requireDuration("timeout", exceeds: "interval", problems: &problems)
        section.section("reconnect")
            .requireDuration("max", exceeds: "initial", orEqual: true, problems: &problems)
        let verification = section.word(
            "verify_device_certificate", as: CertificateVerification.self, otherwise: .warn)
        if verification == .require, section.isValid("trust_anchors"), section.strings("trust_anchors").isEmpty {
            problems.add(
                .inconsistent,
                at: section.location("verify_device_certificate"),
                "'\(section.path("verify_device_certificate"))' is 'require', and no device could prove itself without "
                    + "'trust_anchors'",
                hint: "name the PEM files of the roots to trust in 'trust_anchors'"
            )
        }
    }
}
