/// The short-lived certificate of a virtual device's TLS layer, with its key.
///
/// Senders that authenticate devices refuse one that ends more than four days from now (PROTOCOL notes 2.6), so it is
/// made for two days and replaced after one. Connections keep the leaf they were opened with: pass that one to
/// ``DeviceIdentity/sign(nonce:leaf:hash:)``.
package struct TLSLeaf: Sendable, Equatable {
    /// The certificate as DER.
    package let certificate: [UInt8]

    /// The private key as PKCS #8 DER, not encrypted.
    package let privateKey: [UInt8]

    package let keyKind: TLSKeyKind

    /// The first moment of its validity, in seconds since 1970.
    package let notBefore: Int64

    /// The last moment of its validity, in seconds since 1970.
    package let notAfter: Int64

    private static let lifetime = 2 * CertificateTime.day
    private static let renewalMargin = CertificateTime.day

    /// Makes a leaf with a new key. An RSA key of 2048 bits blocks for a good part of a second on a slow machine.
    ///
    /// - Parameters:
    ///   - commonName: The subject, 1 to 64 characters; senders do not check it.
    ///   - now: Seconds since 1970. The leaf is valid from one hour earlier until two days later.
    /// - Throws: ``IdentityError/cryptographyFailed(action:reason:)``.
    package static func generate(
        commonName: String, key kind: TLSKeyKind = .p256, now: Int64
    ) throws(IdentityError) -> TLSLeaf {
        let key = try PrivateKey.generate(kind)
        let builder = try CertificateBuilder.start(
            commonName: commonName, key: key, validity: .starting(at: now, lasting: Self.lifetime))
        let certificate = try builder.selfSigned(profile: .tlsLeaf(kind))
        guard let leaf = TLSLeaf(certificate: certificate, privateKey: try key.der()) else {
            throw .cryptography("read a certificate")
        }
        return leaf
    }

    /// A stored leaf, or `nil` when it is damaged.
    init?(certificate: [UInt8], privateKey: [UInt8]) {
        guard let parsed = Certificate(der: certificate), let validity = parsed.validity,
            let key = try? PrivateKey(der: privateKey), parsed.belongs(to: key), let kind = key.tlsKind
        else { return nil }
        self.certificate = certificate
        self.privateKey = privateKey
        self.keyKind = kind
        self.notBefore = validity.notBefore
        self.notAfter = validity.notAfter
    }

    /// Returns true if new connections should get a new leaf: this one ends within 24 hours, has not begun, or has a
    /// key of another kind than is wanted.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - kind: The kind of key that is wanted; nil for any.
    package func needsRenewal(at now: Int64, key kind: TLSKeyKind? = nil) -> Bool {
        if let kind, kind != self.keyKind { return true }
        // A leaf from the future stems from a wrong clock, and senders would refuse it.
        return self.notAfter - now < Self.renewalMargin || now < self.notBefore
    }
}

/// The kind of key that a virtual device's TLS layer has. The device's own key, which authenticates it, is always RSA.
package enum TLSKeyKind: String, Sendable, Hashable, CaseIterable {
    /// An elliptic curve key on P-256: made at once, and a handshake costs less than half of one with RSA.
    case p256
    /// An RSA key of 2048 bits, for senders that know no other.
    case rsa
}
