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

    /// Adds a reference to a certificate that somebody else owns too; `nil` when there is none.
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

    /// The certificate as DER.
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

    /// Whether `key` is the private half of the certificate's key.
    borrowing func belongs(to key: PrivateKey) -> Bool {
        let matches = key.withHandle { X509_check_private_key(self.handle, $0) == 1 }
        OpenSSLErrors.clear()
        return matches
    }

    /// Whether `signature` is an RSASSA-PKCS1-v1_5 signature over `message` by the certificate's key.
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
