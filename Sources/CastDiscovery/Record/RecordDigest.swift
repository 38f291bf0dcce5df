import CCrypto

/// SHA-1 as records use it: not to keep anything secret, only to make names of a fixed length.
public enum RecordDigest {
    /// The digest in 40 capital hexadecimal digits.
    public static func digits(of bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 20)
        _ = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil)
        return digest.reduce(into: "") { text, byte in
            let digits = String(byte, radix: 16, uppercase: true)
            text += digits.count == 1 ? "0\(digits)" : digits
        }
    }
}
