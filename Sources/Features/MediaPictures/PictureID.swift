import CCrypto
import NIOCore

/// By which name callers ask for a picture: the first 16 bytes of the SHA-256 of its address, as 32 hexadecimal digits.
///
/// So that anything which knows an address can name the picture, and a name says nothing of the address.
package struct PictureID: Sendable, Hashable, CustomStringConvertible {
    /// The most bytes that an address may have.
    package static let longestAddress = 4096
    private static let digits = Array("0123456789abcdef".utf8)

    /// 32 hexadecimal digits in lower case.
    package let description: String

    /// The name of the picture at an address; nil for an address that is empty or has more than ``longestAddress`` bytes.
    package init?(of address: String) {
        guard (1...Self.longestAddress).contains(address.utf8.count),
            let text = Self.digest(ByteBuffer(string: address))
        else {
            return nil
        }
        self.description = text
    }

    /// The first 16 bytes of the SHA-256 of some bytes, as 32 hexadecimal digits; nil when libcrypto has no memory.
    static func digest(_ bytes: ByteBuffer) -> String? {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        let isMade = bytes.withUnsafeReadableBytes {
            EVP_Digest($0.baseAddress, $0.count, &digest, &length, EVP_sha256(), nil) == 1
        }
        guard isMade, length >= 16 else { return nil }
        return String(
            decoding: digest.prefix(16).flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}
