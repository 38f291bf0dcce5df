/// The proof of a device's identity: the fields of its authentication response (PROTOCOL notes 2.3).
package struct DeviceAuthProof: Sendable, Equatable {
    /// The signature over the nonce and the TLS certificate.
    package var signature: [UInt8]

    /// The device certificate as DER.
    package var deviceCertificate: [UInt8]

    /// The certificates between device and root as DER, in any order.
    package var intermediates: [[UInt8]]

    /// The digest that was signed.
    package var hash: HashAlgorithm

    /// The nonce that the response repeats; empty when it holds none.
    package var nonce: [UInt8]

    package var revocation: RevocationEvidence

    /// Collects the fields of a response.
    ///
    /// - Parameters:
    ///   - signature: The signature over the nonce and the TLS certificate.
    ///   - deviceCertificate: The device certificate as DER.
    ///   - intermediates: The certificates between device and root as DER, in any order.
    ///   - nonce: The nonce that the response repeats; empty when it holds none.
    ///   - revocation: The revocation list of the response.
    package init(
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

/// The statement of a device's proof about revoked certificates.
package enum RevocationEvidence: Sendable, Equatable {
    /// Nothing, which is no failure: lists are optional (PROTOCOL notes 2.8).
    case none
    case unusable(RevocationListFailure)
    /// A list, yet to be verified.
    case list(SignedRevocationList)
}
