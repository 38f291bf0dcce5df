import CastIdentity
import DeviceSessions

/// What the files of `connections` with trusted roots hold: a file may change though its path does not.
struct AnchorCertificates: Equatable, Sendable {
    /// Each file's certificates, DER; nil for one that cannot be read.
    private let trusted: [[[UInt8]]?]
    private let revocation: [[[UInt8]]?]

    /// Reads the files, unless devices are not asked for proofs.
    init(_ configuration: ConnectionsConfiguration) {
        guard configuration.certificateVerification != .off else {
            (self.trusted, self.revocation) = ([], [])
            return
        }
        self.trusted = configuration.trustAnchors.map(Self.read)
        self.revocation = configuration.revocationAnchors.map(Self.read)
    }

    /// The keys whose files hold something else than before.
    func changedKeys(since old: AnchorCertificates) -> [String] {
        var keys: [String] = []
        if self.trusted != old.trusted { keys.append("connections.trust_anchors") }
        if self.revocation != old.revocation { keys.append("connections.revocation_anchors") }
        return keys
    }

    private static func read(_ path: String) -> [[UInt8]]? {
        try? TrustAnchorFile(path: path).certificates
    }
}
