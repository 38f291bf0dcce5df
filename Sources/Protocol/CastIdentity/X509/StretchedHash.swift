import CCrypto

/// Hashes of short secrets, made slow so that one who reads the hashes has to pay for each guess: PBKDF2 (RFC 8018, 5.2) with
/// HMAC-SHA-256.
package enum StretchedHash {
    package static let saltLength = 16
    /// The number of times that the hash is taken anew: some ten milliseconds of one processor.
    private static let rounds: Int32 = 50_000
    private static let length = 32

    /// A new salt.
    /// - Throws: ``IdentityError/cryptographyFailed(action:reason:)``.
    package static func makeSalt() throws(IdentityError) -> [UInt8] { try RandomBytes.make(Self.saltLength) }

    /// The hash of a secret. Blocks for some ten milliseconds.
    /// - Throws: ``IdentityError/cryptographyFailed(action:reason:)``.
    package static func digest(of secret: String, salt: [UInt8]) throws(IdentityError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Self.length)
        let bytes = secret.utf8.map { CChar(bitPattern: $0) }
        let done = PKCS5_PBKDF2_HMAC(
            bytes, Int32(clamping: bytes.count), salt, Int32(clamping: salt.count), Self.rounds, EVP_sha256(),
            Int32(clamping: digest.count), &digest)
        guard done == 1 else { throw .cryptography("hash a secret") }
        return digest
    }
}
