import CCrypto

/// A root certificate with its private key: what signs device certificates.
struct RootAuthority: Sendable {
    /// The certificate as DER.
    let certificate: [UInt8]

    let key: PrivateKey

    /// SHA-256 of ``certificate`` in lower-case hexadecimal digits.
    let fingerprint: String

    let validity: Validity

    /// The lifetime of a root that Castway makes: ten years.
    static let lifetime = 3_652 * CertificateTime.day

    /// The lifetime of a device certificate, unless the root ends earlier: five years.
    static let deviceLifetime = 1_826 * CertificateTime.day

    /// The time before its end at which a chain is replaced: thirty days.
    static let renewalMargin = 30 * CertificateTime.day

    static func generate(keys: RSAKeySource = .new, now: Int64) throws(IdentityError) -> RootAuthority {
        let key = try keys.next()
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

    /// True if the root is past its end.
    func isExpired(at now: Int64) -> Bool {
        now > self.validity.notAfter
    }

    /// The parts of the root that senders need to know.
    func described() throws(IdentityError) -> RootCertificate {
        guard let parsed = Certificate(der: self.certificate) else { throw .cryptography("read a certificate") }
        return RootCertificate(
            der: self.certificate, pem: try parsed.pem(), subject: parsed.subject,
            notBefore: self.validity.notBefore, notAfter: self.validity.notAfter, fingerprint: self.fingerprint)
    }
}

extension RootAuthority {
    /// Issues an intermediate and a device certificate.
    ///
    /// The intermediate is made for this one device and its key is forgotten here, so nothing but the root can sign
    /// anything new.
    ///
    /// - Parameters:
    ///   - uuid: The device's UUID; its digits in upper case become the common name.
    ///   - keys: Where the key of the intermediate comes from.
    ///   - now: Seconds since 1970.
    func issueChain(
        for key: PrivateKey, uuid: DeviceUUID, keys: RSAKeySource = .new, now: Int64
    ) throws(IdentityError) -> DeviceChain {
        guard let root = Certificate(der: self.certificate) else { throw .cryptography("read a certificate") }
        let validity = self.chainValidity(now: now)
        let intermediateKey = try keys.next()
        let intermediate = try CertificateBuilder.start(
            commonName: "Castway Device CA \(uuid.hexText.prefix(8))", key: intermediateKey, validity: validity
        ).signed(profile: .intermediate, by: root, with: self.key)
        guard let issuer = Certificate(der: intermediate) else { throw .cryptography("read a certificate") }
        let device = try CertificateBuilder.start(commonName: uuid.hexText.uppercased(), key: key, validity: validity)
            .signed(profile: .device, by: issuer, with: intermediateKey)
        return DeviceChain(device: device, intermediate: intermediate, rootFingerprint: self.fingerprint)
    }

    /// True if `chain` was issued by this root and need not be replaced yet.
    func isCurrent(_ chain: DeviceChain, now: Int64) -> Bool {
        guard chain.rootFingerprint == self.fingerprint, let stored = Certificate(der: chain.device)?.validity else {
            return false
        }
        let possible = self.chainValidity(now: now)
        let moment = self.plausible(now)
        guard stored.notBefore <= moment else { return false }
        // Near the root's own end a new chain would end no later than the stored one.
        return stored.notAfter - moment >= Self.renewalMargin || stored.notAfter >= possible.notAfter
    }

    private func chainValidity(now: Int64) -> Validity {
        let wanted = Validity.starting(at: self.plausible(now), lasting: Self.deviceLifetime)
        return Validity(notBefore: wanted.notBefore, notAfter: min(wanted.notAfter, self.validity.notAfter))
    }

    /// The moment to issue for: a clock that shows a time before the root existed has not been set yet, as on a small
    /// board after power-up, and a chain from that time would have expired for every sender.
    private func plausible(_ now: Int64) -> Int64 {
        max(now, self.validity.notBefore + Validity.backdating)
    }
}

/// The certificates that tie one device key to a root.
struct DeviceChain: Equatable, Sendable {
    /// The device's certificate as DER.
    let device: [UInt8]

    /// The authority between device and root as DER.
    let intermediate: [UInt8]

    /// SHA-256 of the root's DER in lower-case hexadecimal digits.
    let rootFingerprint: String
}

/// The root that senders must trust to accept Castway's virtual devices.
package struct RootCertificate: Sendable, Equatable {
    package let der: [UInt8]

    /// The certificate as PEM text, the form that Chromium's `--cast-developer-certificate-path` wants.
    package let pem: String

    /// The subject, such as `CN=Castway Developer Root 1a2b3c4d,O=Castway`.
    package let subject: String

    /// The first moment of its validity, in seconds since 1970.
    package let notBefore: Int64

    /// The last moment of its validity, in seconds since 1970.
    package let notAfter: Int64

    /// SHA-256 of ``der`` in lower-case hexadecimal digits.
    package let fingerprint: String
}

/// The source of the root that signs device certificates.
package enum RootSource: Sendable {
    /// Castway makes its own developer root on first use and keeps it in the state database.
    case generatedRoot

    /// A root of the operator's: the contents of two PEM files, which ``PEMFile`` reads.
    ///
    /// - Parameters:
    ///   - certificate: A CA certificate with an RSA key of 2048 bits or more.
    ///   - privateKey: Its private key, without a passphrase.
    case pem(certificate: [UInt8], privateKey: [UInt8])

    /// Judges an operator's root as ``IdentityStore`` does when it is opened and first used.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: One of the errors of ``IdentityError`` that are named after a root.
    package func check(now: Int64) throws(IdentityError) {
        guard case .pem(let certificate, let privateKey) = self else { return }
        let authority = try RootAuthority(pemCertificate: certificate, pemKey: privateKey)
        guard !authority.isExpired(at: now) else { throw .rootExpired(notAfter: authority.validity.notAfter) }
    }
}
