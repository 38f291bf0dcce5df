import CCrypto

/// Builds and signs one X.509 version 3 certificate.
///
/// ``start(commonName:key:validity:)`` names the subject and its key; then call ``selfSigned(profile:)`` or ``signed(profile:by:with:)`` once.
struct CertificateBuilder: ~Copyable {
    private let handle: OpaquePointer
    private let subjectKey: PrivateKey
    private static let action = "make a certificate"

    private init(owning handle: OpaquePointer, subjectKey: PrivateKey) {
        self.handle = handle
        self.subjectKey = subjectKey
    }

    /// Starts a certificate with a random serial number.
    ///
    /// - Parameters:
    ///   - commonName: The subject's common name, 1 to 64 characters.
    ///   - validity: The span in which the certificate may be used.
    static func start(
        commonName: String, key: PrivateKey, validity: Validity
    ) throws(IdentityError) -> CertificateBuilder {
        guard let handle = X509_new() else { throw .cryptography(Self.action) }
        let builder = CertificateBuilder(owning: handle, subjectKey: key)
        guard X509_set_version(handle, 2) == 1,  // counted from 0: version 3
            CertificateTime.write(validity.notBefore, to: X509_getm_notBefore(handle)),
            CertificateTime.write(validity.notAfter, to: X509_getm_notAfter(handle)),
            key.withHandle({ X509_set_pubkey(handle, $0) }) == 1
        else { throw .cryptography(Self.action) }
        try builder.setSerialNumber()
        try builder.addSubject("O", "Castway")
        try builder.addSubject("CN", commonName)
        return builder
    }

    deinit {
        X509_free(self.handle)
    }

    /// Signs with the subject's own key.
    consuming func selfSigned(profile: CertificateProfile) throws(IdentityError) -> [UInt8] {
        let handle = self.handle
        guard X509_set_issuer_name(handle, X509_get_subject_name(handle)) == 1 else {
            throw .cryptography(Self.action)
        }
        try self.add(profile.extensions, issuer: handle)
        return try self.finish(signingKey: self.subjectKey)
    }

    /// Signs with the key of `issuer`.
    consuming func signed(
        profile: CertificateProfile, by issuer: borrowing Certificate, with issuerKey: PrivateKey
    ) throws(IdentityError) -> [UInt8] {
        var extensions = profile.extensions
        // A configured root may lack the key identifier that this extension repeats.
        if issuer.withHandle({ X509_get0_subject_key_id($0) != nil }) {
            extensions.append((NID_authority_key_identifier, "keyid"))
        }
        let handle = self.handle
        guard issuer.withHandle({ X509_set_issuer_name(handle, X509_get_subject_name($0)) }) == 1 else {
            throw .cryptography(Self.action)
        }
        let result = issuer.withHandle { issuer in
            Result { () throws(IdentityError) in try self.add(extensions, issuer: issuer) }
        }
        try result.get()
        return try self.finish(signingKey: issuerKey)
    }

    /// 126 random bits in 16 bytes: positive, never shorter, and within the 20 bytes of RFC 5280.
    private borrowing func setSerialNumber() throws(IdentityError) {
        var bytes = try RandomBytes.make(16)
        bytes[0] = (bytes[0] & 0x7F) | 0x40
        guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { throw .cryptography(Self.action) }
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(self.handle)) != nil else {
            throw .cryptography(Self.action)
        }
    }

    private borrowing func addSubject(_ field: String, _ value: String) throws(IdentityError) {
        let bytes = Array(value.utf8)
        let wasAdded = X509_NAME_add_entry_by_txt(
            X509_get_subject_name(self.handle), field, MBSTRING_FLAG, bytes, Int32(clamping: bytes.count), -1, 0)
        guard wasAdded == 1 else { throw .cryptography(Self.action) }
    }

    private borrowing func add(
        _ extensions: [(identifier: Int32, value: String)], issuer: OpaquePointer
    ) throws(IdentityError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, self.handle, nil, nil, 0)
        for (identifier, value) in [(NID_subject_key_identifier, "hash")] + extensions {
            guard let made = X509V3_EXT_conf_nid(nil, &context, identifier, value) else {
                throw .cryptography(Self.action)
            }
            defer { X509_EXTENSION_free(made) }
            guard X509_add_ext(self.handle, made, -1) == 1 else { throw .cryptography(Self.action) }
        }
    }

    private borrowing func finish(signingKey: PrivateKey) throws(IdentityError) -> [UInt8] {
        let handle = self.handle
        guard signingKey.withHandle({ X509_sign(handle, $0, EVP_sha256()) }) > 0,
            let der = [UInt8](encodingDER: { i2d_X509(handle, $0) })
        else { throw .cryptography(Self.action) }
        return der
    }
}

/// The extensions of one kind of certificate (PROTOCOL notes 2.6 and 2.7).
struct CertificateProfile: Sendable {
    /// Extensions as libcrypto's identifier and its configuration text.
    let extensions: [(identifier: Int32, value: String)]

    /// The anchor that senders are told to trust.
    static let root = CertificateProfile(extensions: [
        (NID_basic_constraints, "critical,CA:true"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
    ])

    /// The authority between root and device; it can sign devices only.
    static let intermediate = CertificateProfile(extensions: [
        (NID_basic_constraints, "critical,CA:true,pathlen:0"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_ext_key_usage, "clientAuth"),
    ])

    /// The device. Senders demand `digitalSignature` and build the path for client authentication.
    static let device = CertificateProfile(extensions: [
        (NID_basic_constraints, "CA:false"),
        (NID_key_usage, "critical,digitalSignature"),
        (NID_ext_key_usage, "clientAuth"),
    ])

    /// The self-signed certificate of the TLS layer.
    static func tlsLeaf(_ key: TLSKeyKind) -> CertificateProfile {
        // A key on a curve enciphers nothing (RFC 8813, 3).
        let usage = key == .rsa ? "critical,digitalSignature,keyEncipherment" : "critical,digitalSignature"
        return CertificateProfile(extensions: [
            (NID_basic_constraints, "CA:false"),
            (NID_key_usage, usage),
            (NID_ext_key_usage, "serverAuth"),
        ])
    }
}
