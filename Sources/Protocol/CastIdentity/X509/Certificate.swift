import CCrypto

/// Owns one X.509 certificate that libcrypto has parsed or built.
struct Certificate: ~Copyable {
    private let handle: OpaquePointer

    /// Takes over one reference to `handle`.
    init(owning handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        X509_free(self.handle)
    }

    /// Adds a reference to a certificate that has another owner too; `nil` when there is none.
    init?(sharing handle: OpaquePointer?) {
        guard let handle, X509_up_ref(handle) == 1 else { return nil }
        self.handle = handle
    }

    /// Parses DER; `nil` when it is malformed, incomplete or followed by more bytes.
    init?(der: [UInt8]) {
        guard let handle = der.decodedDER({ d2i_X509(nil, $0, $1) }, release: { X509_free($0) }) else {
            OpenSSLErrors.clear()
            return nil
        }
        self.handle = handle
    }

    /// Parses the first certificate in a PEM file's contents.
    init(pem: [UInt8]) throws(IdentityError) {
        guard let buffer = MemoryBuffer(pem), let handle = buffer.withHandle({ PEM_read_bio_X509($0, nil, nil, nil) })
        else { throw .rootCertificateUnreadable(reason: OpenSSLErrors.drain()) }
        self.handle = handle
    }

    /// Lends the certificate to `body`. A local value may end after its last mention, so the handle stays in scope.
    borrowing func withHandle<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        body(self.handle)
    }

    borrowing func der() throws(IdentityError) -> [UInt8] {
        guard let der = [UInt8](encodingDER: { i2d_X509(self.handle, $0) }) else {
            throw .cryptography("write a certificate")
        }
        return der
    }

    /// The certificate as PEM text.
    borrowing func pem() throws(IdentityError) -> String {
        guard let text = MemoryBuffer.text({ PEM_write_bio_X509($0, self.handle) == 1 }) else {
            throw .cryptography("write a certificate")
        }
        return text
    }

    /// True if `key` is the private half of the certificate's key.
    borrowing func belongs(to key: PrivateKey) -> Bool {
        let matches = key.withHandle { X509_check_private_key(self.handle, $0) == 1 }
        OpenSSLErrors.clear()
        return matches
    }

    /// True if `signature` is an RSASSA-PKCS1-v1_5 signature over `message` by the certificate's key.
    borrowing func verifies(signature: [UInt8], over message: [UInt8], hash: HashAlgorithm) -> Bool {
        guard let key = X509_get0_pubkey(self.handle), EVP_PKEY_get_base_id(key) == NID_rsaEncryption,
            let context = EVP_MD_CTX_new()
        else {
            OpenSSLErrors.clear()
            return false
        }
        defer { EVP_MD_CTX_free(context) }
        let isValid =
            EVP_DigestVerifyInit(context, nil, hash.method, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        OpenSSLErrors.clear()
        return isValid
    }
}

extension Certificate {
    /// The span in which the certificate may be used; `nil` when a time in it is malformed.
    var validity: Validity? {
        self.withHandle { handle in
            guard let notBefore = CertificateTime.seconds(X509_get0_notBefore(handle)),
                let notAfter = CertificateTime.seconds(X509_get0_notAfter(handle))
            else { return nil }
            return Validity(notBefore: notBefore, notAfter: notAfter)
        }
    }

    /// The subject in the form of RFC 2253, such as `CN=Castway Developer Root,O=Castway`.
    var subject: String {
        self.withHandle { handle in
            MemoryBuffer.text { bio in
                X509_NAME_print_ex(bio, X509_get_subject_name(handle), 0, castway_name_print_flags()) >= 0
            } ?? ""
        }
    }

    /// The first common name of the subject; `nil` when there is none or it is no text.
    var commonName: String? {
        self.withHandle { handle in
            guard let name = X509_get_subject_name(handle) else { return nil }
            let index = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
            guard index >= 0, let entry = X509_NAME_get_entry(name, index) else { return nil }
            var text: UnsafeMutablePointer<UInt8>?
            let length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
            defer { castway_free(text) }
            guard let text, length >= 0 else {
                OpenSSLErrors.clear()
                return nil
            }
            return String(decoding: UnsafeBufferPointer(start: text, count: Int(length)), as: UTF8.self)
        }
    }

    /// The size in bits of the certificate's key when that is an ordinary RSA key.
    var rsaKeyBits: Int? {
        self.withHandle { handle in
            guard let key = X509_get0_pubkey(handle), EVP_PKEY_get_base_id(key) == NID_rsaEncryption else {
                OpenSSLErrors.clear()
                return nil
            }
            return Int(EVP_PKEY_get_bits(key))
        }
    }

    /// The serial number, or `nil` when it is negative or has more than 64 bits.
    var shortSerialNumber: UInt64? {
        self.withHandle { handle in
            var value: UInt64 = 0
            guard ASN1_INTEGER_get_uint64(&value, X509_get0_serialNumber(handle)) == 1 else {
                OpenSSLErrors.clear()
                return nil
            }
            return value
        }
    }

    /// SHA-256 of the certificate's `SubjectPublicKeyInfo`, as revocation lists name keys.
    func keyHash() throws(IdentityError) -> [UInt8] {
        let info = self.withHandle { handle in
            [UInt8](encodingDER: { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(handle), $0) })
        }
        guard let info else { throw .cryptography("write a public key") }
        return try HashAlgorithm.sha256.digest(of: info)
    }

    /// True if `basicConstraints` says CA and `keyUsage`, when present, permits signing certificates.
    var isCertificateAuthority: Bool {
        self.withHandle { X509_check_ca($0) == 1 }
    }

    /// True if a `keyUsage` extension is present and has all the bits of `usage` (`KU_` constants).
    func declares(keyUsage usage: Int32) -> Bool {
        self.withHandle { handle in
            let isPresent = X509_get_extension_flags(handle) & UInt32(EXFLAG_KUSAGE) != 0
            return isPresent && X509_get_key_usage(handle) & UInt32(usage) == UInt32(usage)
        }
    }

    /// True if `extendedKeyUsage` is absent or names client authentication or any purpose.
    var allowsClientAuthentication: Bool {
        self.withHandle { handle in
            let isPresent = X509_get_extension_flags(handle) & UInt32(EXFLAG_XKUSAGE) != 0
            return !isPresent || X509_get_extended_key_usage(handle) & UInt32(XKU_SSL_CLIENT | XKU_ANYEKU) != 0
        }
    }

    /// The number of authorities that may follow this one, or `nil` when that is not limited.
    var pathLength: Int? {
        self.withHandle { handle in
            let length = X509_get_pathlen(handle)
            return length < 0 ? nil : Int(length)
        }
    }

    /// True if `certificatePolicies` holds the policy `identifier`, in dotted numbers.
    func declares(policy identifier: String) -> Bool {
        self.withHandle { handle in
            guard let found = X509_get_ext_d2i(handle, NID_certificate_policies, nil, nil) else {
                OpenSSLErrors.clear()
                return false
            }
            let policies = OpaquePointer(found)
            defer { CERTIFICATEPOLICIES_free(policies) }
            return (0..<max(0, castway_policies_count(policies))).contains { index in
                guard let policy = castway_policies_get(policies, index) else { return false }
                var text = [CChar](repeating: 0, count: 128)
                let length = Int(OBJ_obj2txt(&text, Int32(text.count), policy.pointee.policyid, 1))
                guard length > 0, length < text.count else { return false }
                return String(decoding: text.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self) == identifier
            }
        }
    }
}
