import CCrypto

/// A private key held by libcrypto.
///
/// `@unchecked Sendable`: the key is complete when `init` returns and nothing changes it afterwards; every operation
/// makes its own context, and libcrypto guards the caches inside a key (blinding, Montgomery values) with its locks.
final class PrivateKey: @unchecked Sendable {
    private let handle: OpaquePointer

    /// Takes over one reference to `handle`.
    init(owning handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        EVP_PKEY_free(self.handle)
    }

    /// Makes a new RSA key of 2048 bits; this takes a good part of a second on a slow machine.
    static func generate() throws(IdentityError) -> PrivateKey {
        guard let handle = castway_rsa_generate(2048) else { throw .cryptography("make an RSA key") }
        return PrivateKey(owning: handle)
    }

    /// Makes a new key for a TLS leaf.
    static func generate(_ kind: TLSKeyKind) throws(IdentityError) -> PrivateKey {
        switch kind {
        case .rsa: return try Self.generate()
        case .p256:
            guard let handle = castway_p256_generate() else { throw .cryptography("make a P-256 key") }
            return PrivateKey(owning: handle)
        }
    }

    /// Reads a PKCS #8 or PKCS #1 key.
    convenience init(der: [UInt8]) throws(IdentityError) {
        let handle = der.decodedDER({ d2i_AutoPrivateKey(nil, $0, $1) }, release: { EVP_PKEY_free($0) })
        guard let handle else { throw .cryptography("read a private key") }
        self.init(owning: handle)
    }

    /// Reads the first private key in a PEM file's contents.
    convenience init(pem: [UInt8]) throws(IdentityError) {
        guard let buffer = MemoryBuffer(pem) else { throw .cryptography("read a private key") }
        // Without a callback libcrypto would ask for a passphrase on the terminal.
        var wasAskedForPassphrase = false
        let handle = withUnsafeMutablePointer(to: &wasAskedForPassphrase) { flag in
            buffer.withHandle { bio in
                PEM_read_bio_PrivateKey(
                    bio, nil,
                    { _, _, _, context in
                        context?.assumingMemoryBound(to: Bool.self).pointee = true
                        return -1
                    }, flag)
            }
        }
        guard let handle else {
            let reason = OpenSSLErrors.drain()
            throw wasAskedForPassphrase ? .rootKeyEncrypted : .rootKeyUnreadable(reason: reason)
        }
        self.init(owning: handle)
    }

    /// True if this is an ordinary RSA key (not one restricted to PSS).
    var isRSA: Bool {
        EVP_PKEY_get_base_id(self.handle) == NID_rsaEncryption
    }

    /// The kind of TLS key; nil for one of another kind.
    var tlsKind: TLSKeyKind? {
        if self.isRSA { return .rsa }
        return EVP_PKEY_get_base_id(self.handle) == NID_X9_62_id_ecPublicKey && self.bits == 256 ? .p256 : nil
    }

    var bits: Int {
        Int(EVP_PKEY_get_bits(self.handle))
    }

    /// The key as PKCS #8 DER, not encrypted.
    func der() throws(IdentityError) -> [UInt8] {
        guard let plain = EVP_PKEY2PKCS8(self.handle) else { throw .cryptography("write a private key") }
        defer { PKCS8_PRIV_KEY_INFO_free(plain) }
        guard let der = [UInt8](encodingDER: { i2d_PKCS8_PRIV_KEY_INFO(plain, $0) }) else {
            throw .cryptography("write a private key")
        }
        return der
    }

    /// An RSASSA-PKCS1-v1_5 signature over `message` (RFC 8017, section 8.2).
    func signature(over message: [UInt8], hash: HashAlgorithm) throws(IdentityError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .cryptography("sign") }
        defer { EVP_MD_CTX_free(context) }
        var length = 0
        guard EVP_DigestSignInit(context, nil, hash.method, nil, self.handle) == 1,
            EVP_DigestSign(context, nil, &length, message, message.count) == 1
        else { throw .cryptography("sign") }
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else {
            throw .cryptography("sign")
        }
        return Array(signature.prefix(length))
    }

    /// Lends the key to `body` for libcrypto calls that combine it with another object.
    func withHandle<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        body(self.handle)
    }
}

extension PrivateKey: Equatable {
    static func == (left: PrivateKey, right: PrivateKey) -> Bool {
        left === right || EVP_PKEY_eq(left.handle, right.handle) == 1
    }
}
