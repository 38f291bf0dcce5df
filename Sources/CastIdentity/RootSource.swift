/// Where the root that signs device certificates comes from.
public enum RootSource: Sendable {
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
    public func check(now: Int64) throws(IdentityError) {
        guard case .pem(let certificate, let privateKey) = self else { return }
        let authority = try RootAuthority(pemCertificate: certificate, pemKey: privateKey)
        guard !authority.isExpired(at: now) else { throw .rootExpired(notAfter: authority.validity.notAfter) }
    }
}
