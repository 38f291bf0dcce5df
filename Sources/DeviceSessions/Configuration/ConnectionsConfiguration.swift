/// `connections`: how Castway keeps its connections to real devices.
public struct ConnectionsConfiguration: Sendable, Equatable {
    /// How often a silent device is pinged. Default 5 s.
    public var heartbeatInterval: Duration
    /// How long a device may be silent before its connection is closed; longer than the interval. Default 7.5 s.
    public var heartbeatTimeout: Duration
    /// The pause before the first reconnect attempt; it doubles from attempt to attempt. Default 250 ms.
    public var reconnectInitial: Duration
    /// The longest pause between two reconnect attempts. Default 10 s.
    public var reconnectMaximum: Duration
    /// By which share, 0 to 1, a pause may vary at random. Default 0.2.
    public var reconnectJitter: Double
    /// How long TCP and TLS may take together. Default 5 s.
    public var dialTimeout: Duration
    /// What a device has to prove before it is used. Default ``CertificateVerification/warn``.
    public var certificateVerification: CertificateVerification
    /// Whether a proof that repeats no nonce makes a device verified. Default false.
    public var acceptsMissingNonce: Bool
    /// PEM files with the roots that devices' proofs have to lead to. Without any, `warn` asks nothing of devices.
    public var trustAnchors: [String]
    /// PEM files with the roots that the signers of revocation lists have to lead to; none stands for `trustAnchors`.
    public var revocationAnchors: [String]

    /// Whether the files of the two lists of anchors are read: devices are asked for proofs.
    public var readsAnchors: Bool {
        switch self.certificateVerification {
        case .off: false
        case .warn: !self.trustAnchors.isEmpty
        case .require: true
        }
    }

    /// Makes a configuration from its parts; each has the default of `gateway.yaml`.
    public init(
        heartbeatInterval: Duration = .seconds(5),
        heartbeatTimeout: Duration = .milliseconds(7500),
        reconnectInitial: Duration = .milliseconds(250),
        reconnectMaximum: Duration = .seconds(10),
        reconnectJitter: Double = 0.2,
        dialTimeout: Duration = .seconds(5),
        certificateVerification: CertificateVerification = .warn,
        acceptsMissingNonce: Bool = false,
        trustAnchors: [String] = [],
        revocationAnchors: [String] = []
    ) {
        self.heartbeatInterval = heartbeatInterval
        self.heartbeatTimeout = heartbeatTimeout
        self.reconnectInitial = reconnectInitial
        self.reconnectMaximum = reconnectMaximum
        self.reconnectJitter = reconnectJitter
        self.dialTimeout = dialTimeout
        self.certificateVerification = certificateVerification
        self.acceptsMissingNonce = acceptsMissingNonce
        self.trustAnchors = trustAnchors
        self.revocationAnchors = revocationAnchors
    }
}
