import CCrypto

@testable import CastIdentity

extension PrivateKey {
    /// An RSA key of any size.
    static func rsa(bits: UInt32) throws -> PrivateKey {
        guard let handle = castway_rsa_generate(bits) else { throw IdentityError.cryptography("make an RSA key") }
        return PrivateKey(owning: handle)
    }

    /// A key on the curve P-256.
    static func elliptic() throws -> PrivateKey {
        let context = EVP_PKEY_CTX_new_id(NID_X9_62_id_ecPublicKey, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var handle: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &handle) == 1, let handle
        else { throw IdentityError.cryptography("make an EC key") }
        return PrivateKey(owning: handle)
    }

    /// The key as PEM, encrypted when there is a passphrase.
    func pem(passphrase: String? = nil) throws -> [UInt8] {
        let text = MemoryBuffer.text { bio in
            self.withHandle { key in
                guard let passphrase else {
                    return PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1
                }
                return PEM_write_bio_PKCS8PrivateKey(
                    bio, key, EVP_aes_128_cbc(), passphrase, Int32(passphrase.utf8.count), nil, nil) == 1
            }
        }
        return Array((text ?? "").utf8)
    }
}
