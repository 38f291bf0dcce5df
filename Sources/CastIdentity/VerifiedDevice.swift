/// A device whose proof holds.
public struct VerifiedDevice: Sendable, Equatable {
    /// The common name of the device certificate.
    public let commonName: String

    /// Whether a policy in the chain limits the device to audio (PROTOCOL notes 2.6).
    public let isAudioOnly: Bool

    /// Whether the proof is over the nonce of this very challenge. One without a nonce, as some devices give, may have been
    /// made before: it proves that the certificates and the TLS certificate belong together, and not that the device is
    /// there. One with another nonce is no proof (``DeviceAuthFailure/otherNonce``).
    public let isFresh: Bool

    /// What became of the revocation list that the device may bring.
    public let revocation: RevocationCheck

    /// SHA-256 of the trusted root's DER in lower-case hexadecimal digits.
    public let rootFingerprint: String
}
