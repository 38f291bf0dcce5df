/// What a device sends to prove who it is: the fields of its authentication response (PROTOCOL notes 2.3).
public struct DeviceAuthProof: Sendable, Equatable {
    /// The signature over the nonce and the TLS certificate.
    public var signature: [UInt8]

    /// The device certificate as DER.
    public var deviceCertificate: [UInt8]

    /// The certificates between device and root as DER, in any order.
    public var intermediates: [[UInt8]]

    /// The digest that was signed.
    public var hash: HashAlgorithm

    /// The nonce that the response repeats; empty when it holds none.
    public var nonce: [UInt8]

    /// The revocation list of the response.
    public var revocation: RevocationEvidence

    /// Collects the fields of a response.
    ///
    /// - Parameters:
    ///   - signature: The signature over the nonce and the TLS certificate.
    ///   - deviceCertificate: The device certificate as DER.
    ///   - intermediates: The certificates between device and root as DER, in any order.
    ///   - hash: The digest that was signed.
    ///   - nonce: The nonce that the response repeats; empty when it holds none.
    ///   - revocation: The revocation list of the response.
    public init(
        signature: [UInt8], deviceCertificate: [UInt8], intermediates: [[UInt8]], hash: HashAlgorithm, nonce: [UInt8],
        revocation: RevocationEvidence = .none
    ) {
        self.signature = signature
        self.deviceCertificate = deviceCertificate
        self.intermediates = intermediates
        self.hash = hash
        self.nonce = nonce
        self.revocation = revocation
    }
}

/// What a device's proof says about revoked certificates.
public enum RevocationEvidence: Sendable, Equatable {
    /// Nothing, which is no failure: lists are optional (PROTOCOL notes 2.8).
    case none
    /// Something that cannot be used.
    case unusable(RevocationListFailure)
    /// A list, yet to be verified.
    case list(SignedRevocationList)
}
