/// The kind of key that a virtual device's TLS layer has. The device's own key, which authenticates it, is always RSA.
public enum TLSKeyKind: String, Sendable, Hashable, CaseIterable {
    /// An elliptic curve key on P-256: made at once, and a handshake costs less than half of one with RSA.
    case p256
    /// An RSA key of 2048 bits, for senders that know no other.
    case rsa
}
