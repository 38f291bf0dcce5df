import CCrypto

/// The digests that device authentication knows (PROTOCOL notes 2.3).
///
/// The raw value is the number on the wire, `HashAlgorithm` of the device authentication messages.
package enum HashAlgorithm: Int, Sendable, CaseIterable {
    /// SHA-1, which a challenge asks for when it names no digest.
    case sha1 = 0

    case sha256 = 1

    /// libcrypto's method table of this digest; lives as long as the process.
    var method: OpaquePointer? {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        }
    }

    /// The digest of `bytes`.
    /// - Throws: ``IdentityError/cryptographyFailed(action:reason:)``.
    package func digest(of bytes: [UInt8]) throws(IdentityError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &length, self.method, nil) == 1 else {
            throw .cryptography("hash a certificate")
        }
        return Array(digest.prefix(Int(length)))
    }
}

extension [UInt8] {
    /// Two lower-case hexadecimal digits for each byte.
    var hexText: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(self.count * 2)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
