package import GatewayConfig

/// `connections`: how Castway keeps its connections to real devices.
package struct ConnectionsConfiguration: ConfigSettings {
    /// `heartbeat`: the pings towards devices.
    package var heartbeat = HeartbeatSettings(interval: .seconds(5), timeout: .milliseconds(7500))
    /// The pause before the first reconnect attempt; it doubles from attempt to attempt.
    package var reconnectInitial = Duration.milliseconds(250)
    /// The longest pause between two reconnect attempts.
    package var reconnectMaximum = Duration.seconds(10)
    /// By which share, 0 to 1, a pause may vary at random.
    package var reconnectJitter = 0.2
    /// The time TCP and TLS may take together.
    package var dialTimeout = Duration.seconds(5)
    /// The proof that a device has to give before it is used.
    package var certificateVerification = CertificateVerification.warn
    /// Accepts a proof that repeats no nonce as a verification.
    package var acceptsMissingNonce = false
    /// PEM files with the roots that devices' proofs have to lead to. Without any, `warn` asks nothing of devices.
    package var trustAnchors: [String] = []
    /// PEM files with the roots that the signers of revocation lists have to lead to; none stands for `trustAnchors`.
    package var revocationAnchors: [String] = []

    /// The keys of `connections`, without `senders` and `setup`, which belong to the virtual devices.
    package static let keys: [Key] = [
        .section(
            "heartbeat", "Pings towards devices", HeartbeatSettings.keys(peer: "device").embedded(in: \Self.heartbeat)),
        .section(
            "reconnect", "How a lost device is dialled again", reload: .hot,
            [
                Key(
                    "initial", \.reconnectInitial, .duration(.milliseconds(1) ... .seconds(3600)),
                    "The pause before the first attempt; it doubles from attempt to attempt"),
                Key(
                    "max", \.reconnectMaximum, .duration(.milliseconds(1) ... .seconds(86_400)),
                    "The longest pause between two attempts"),
                Key("jitter", \.reconnectJitter, .number(0...1), "By which share a pause varies at random"),
            ]),
        Key(
            "dial_timeout", \.dialTimeout, .duration(.milliseconds(10) ... .seconds(300)),
            "How long TCP and TLS may take together"),
        Key(
            "verify_device_certificate", \.certificateVerification, .word,
            "Whether devices have to prove that they are Cast devices: `off` asks nothing, `warn` asks and uses the "
                + "device whatever it answers, `require` hangs up on those that cannot. Devices in the field have "
                + "certificates that expired, so `warn` is for finding out. Without `trust_anchors`, `warn` asks nothing",
            example: "require"),
        Key(
            "accept_missing_nonce", \.acceptsMissingNonce, .boolean,
            "Whether a device whose proof does not repeat the nonce that it was sent counts as verified. Such a proof may "
                + "have been recorded; some devices give no other. A proof with another nonce never counts"),
        Key(
            "trust_anchors", \.trustAnchors, .list(of: .path),
            "PEM files with the root certificates that devices' proofs have to lead to. Castway brings none along; its "
                + "own is written by `castway identity export-root`",
            example: "[/etc/castway/anchors/devices.pem]"),
        Key(
            "revocation_anchors", \.revocationAnchors, .list(of: .path),
            "PEM files with the root certificates that the signers of revocation lists have to lead to; without any, "
                + "those of `trust_anchors`. A list is optional, and one that does not hold revokes nothing",
            example: "[/etc/castway/anchors/revocation.pem]"),
    ]

    package init() {}

    /// True if the files of the two lists of anchors are read: devices are asked for proofs.
    package var readsAnchors: Bool {
        switch self.certificateVerification {
        case .off: false
        case .warn: !self.trustAnchors.isEmpty
        case .require: true
        }
    }

    /// Adds times that contradict each other, and proofs that no device could give.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        HeartbeatSettings.check(section.section("heartbeat"), problems: &problems)
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

/// `connections.verify_device_certificate`: what a device has to prove before it is used.
package enum CertificateVerification: String, Sendable, CaseIterable {
    /// Nothing; the device is not even asked.
    case off
    /// The device is asked, and used whatever it answers; the log and the device's record say what came of it.
    case warn
    /// A device that cannot prove itself is hung up on, and tried again later.
    case require
}
