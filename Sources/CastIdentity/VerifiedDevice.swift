/// A device whose proof holds.
public struct VerifiedDevice: Sendable, Equatable {
    /// The common name of the device certificate.
    public let commonName: String

    /// Whether a policy in the chain limits the device to audio (PROTOCOL notes 2.6).
    public let isAudioOnly: Bool

    /// Whether the proof repeats the challenge's nonce. Senders note a mismatch and accept it (PROTOCOL notes 2.5).
    public let repeatsNonce: Bool

    /// What became of the revocation list that the device may bring.
    public let revocation: RevocationCheck

    /// SHA-256 of the trusted root's DER in lower-case hexadecimal digits.
    public let rootFingerprint: String
}
