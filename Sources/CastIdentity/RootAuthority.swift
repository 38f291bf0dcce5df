import CCrypto

/// A root certificate with its private key: what signs device certificates.
struct RootAuthority: Sendable {
    /// The certificate as DER.
    let certificate: [UInt8]

    /// The certificate's private key.
    let key: PrivateKey

    /// SHA-256 of ``certificate`` in lower-case hexadecimal digits.
    let fingerprint: String

    /// The span in which the certificate may be used.
    let validity: Validity

    /// How long a root lives that Castway makes: ten years.
    static let lifetime = 3_652 * CertificateTime.day

    /// How long a device certificate lives, unless the root ends earlier: five years.
    static let deviceLifetime = 1_826 * CertificateTime.day

    /// How long before its end a chain is replaced: thirty days.
    static let renewalMargin = 30 * CertificateTime.day

    /// Makes a developer root.
    static func generate(now: Int64) throws(IdentityError) -> RootAuthority {
        let key = try PrivateKey.generate()
        // Senders' certificate lists show names only; the suffix tells two installations apart.
        let suffix = try RandomBytes.make(4).hexText
        let builder = try CertificateBuilder.start(
            commonName: "Castway Developer Root \(suffix)", key: key,
            validity: .starting(at: now, lasting: Self.lifetime))
        return try RootAuthority(stored: try builder.selfSigned(profile: .root), key: key)
    }

    /// A root that Castway made earlier.
    init(stored certificate: [UInt8], key: PrivateKey) throws(IdentityError) {
        guard let parsed = Certificate(der: certificate), let validity = parsed.validity else {
            throw .storedIdentityDamaged(subject: "developer root", reason: "its certificate is not readable")
        }
        guard parsed.belongs(to: key) else {
            throw .storedIdentityDamaged(subject: "developer root", reason: "certificate and key do not match")
        }
        self.certificate = certificate
        self.key = key
        self.fingerprint = try HashAlgorithm.sha256.digest(of: certificate).hexText
        self.validity = validity
    }

    /// A root of the operator's.
    ///
    /// - Throws: One of the errors named after a root when the pair can not sign device certificates.
    init(pemCertificate: [UInt8], pemKey: [UInt8]) throws(IdentityError) {
        let parsed = try Certificate(pem: pemCertificate)
        let key = try PrivateKey(pem: pemKey)
        guard key.isRSA, let bits = parsed.rsaKeyBits else { throw .rootKeyNotRSA }
        guard bits >= 2_048 else { throw .rootKeyTooSmall(bits: bits) }
        guard parsed.belongs(to: key) else { throw .rootKeyMismatch }
        guard parsed.isCertificateAuthority else {
            throw .rootNotCertificateAuthority(reason: "it is no CA certificate (basicConstraints CA, keyCertSign)")
        }
        guard parsed.pathLength != 0 else {
            throw .rootNotCertificateAuthority(reason: "its pathlen of 0 leaves no room for an intermediate")
        }
        guard parsed.allowsClientAuthentication else {
            throw .rootNotCertificateAuthority(reason: "its extendedKeyUsage does not allow clientAuth")
        }
        guard let validity = parsed.validity else { throw .rootCertificateUnreadable(reason: "malformed validity") }
        self.certificate = try parsed.der()
        self.key = key
        self.fingerprint = try HashAlgorithm.sha256.digest(of: self.certificate).hexText
        self.validity = validity
    }

    /// Whether the root is past its end.
    func isExpired(at now: Int64) -> Bool {
        now > self.validity.notAfter
    }

    /// What senders need to know about the root.
    func described() throws(IdentityError) -> RootCertificate {
        guard let parsed = Certificate(der: self.certificate) else { throw .cryptography("read a certificate") }
        return RootCertificate(
            der: self.certificate, pem: try parsed.pem(), subject: parsed.subject,
            notBefore: self.validity.notBefore, notAfter: self.validity.notAfter, fingerprint: self.fingerprint)
    }
}
