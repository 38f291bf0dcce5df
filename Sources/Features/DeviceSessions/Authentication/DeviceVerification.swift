import CastIdentity
import NIOCore

/// The result of reading `connections.verify_device_certificate` and its trust anchors.
///
/// Without trust anchors there is nothing that a proof could lead to, so devices are not asked, unless it is required
/// of them.
struct DeviceVerification: Sendable {
    /// The time a device has for its reply; senders in the field wait for 5 s or more.
    static let timeout = TimeAmount.seconds(5)

    let policy: CertificateVerification
    /// True if a proof has to repeat the nonce that was sent.
    let needsNonce: Bool
    /// nil when devices are not asked.
    let verifier: DeviceAuthVerifier?
    /// Seconds since 1970.
    let wallClock: @Sendable () -> Int64
    let timeout: TimeAmount

    static let none = DeviceVerification(policy: .off, verifier: nil)

    init(
        policy: CertificateVerification, verifier: DeviceAuthVerifier?, needsNonce: Bool = true,
        timeout: TimeAmount = Self.timeout,
        wallClock: @escaping @Sendable () -> Int64 = { 0 }
    ) {
        self.policy = policy
        self.verifier = policy == .off ? nil : verifier
        self.needsNonce = needsNonce
        self.timeout = timeout
        self.wallClock = wallClock
    }

    /// Reads the files that the configuration names.
    /// - Throws: when one of them cannot be read or holds no certificate.
    init(
        _ configuration: ConnectionsConfiguration, wallClock: @escaping @Sendable () -> Int64
    ) throws(IdentityError) {
        guard configuration.readsAnchors else {
            self.init(policy: configuration.certificateVerification, verifier: nil, wallClock: wallClock)
            return
        }
        let roots = try Self.read(configuration.trustAnchors)
        let revocation = try Self.read(configuration.revocationAnchors)
        let verifier = try DeviceAuthVerifier(
            trustedRoots: roots, revocationRoots: revocation.isEmpty ? nil : revocation)
        self.init(
            policy: configuration.certificateVerification, verifier: verifier,
            needsNonce: !configuration.acceptsMissingNonce, wallClock: wallClock)
    }

    private static func read(_ paths: [String]) throws(IdentityError) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        for path in paths { certificates += try TrustAnchorFile(path: path).certificates }
        return certificates
    }
}
