import CCrypto

@testable import CastIdentity

/// Certificates that Castway would not make itself, put together with libcrypto.
struct PlainCertificate {
    /// Counted as X.509 counts: 1 or 3. The former takes no extensions.
    var version = 3
    var serialNumber: UInt64 = 1
    var notBefore = Fixture.now - 60
    var notAfter = Fixture.now + Fixture.day
    var extensions: [(identifier: Int32, value: String)] = []

    /// DER.
    func make(for key: PrivateKey, by issuer: [UInt8]? = nil, with issuerKey: PrivateKey? = nil) throws -> [UInt8] {
        let failure = IdentityError.cryptography("make a test certificate")
        guard let handle = X509_new() else { throw failure }
        let certificate = Certificate(owning: handle)
        let subject = Array("plain".utf8)
        guard X509_set_version(handle, self.version - 1) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(handle), self.serialNumber) == 1,
            CertificateTime.write(self.notBefore, to: X509_getm_notBefore(handle)),
            CertificateTime.write(self.notAfter, to: X509_getm_notAfter(handle)),
            X509_NAME_add_entry_by_txt(
                X509_get_subject_name(handle), "CN", MBSTRING_FLAG, subject, Int32(subject.count), -1, 0) == 1,
            key.withHandle({ X509_set_pubkey(handle, $0) }) == 1
        else { throw failure }
        let issuerName: Int32
        if let issuer {
            issuerName = try Fixture.parse(issuer).withHandle {
                X509_set_issuer_name(handle, X509_get_subject_name($0))
            }
        } else {
            issuerName = X509_set_issuer_name(handle, X509_get_subject_name(handle))
        }
        guard issuerName == 1 else { throw failure }
        for (identifier, value) in self.extensions {
            guard let made = X509V3_EXT_conf_nid(nil, nil, identifier, value) else { throw failure }
            defer { X509_EXTENSION_free(made) }
            guard X509_add_ext(handle, made, -1) == 1 else { throw failure }
        }
        guard (issuerKey ?? key).withHandle({ X509_sign(handle, $0, EVP_sha256()) }) > 0 else { throw failure }
        return try certificate.der()
    }
}
