import CCrypto

/// Unpredictable bytes from libcrypto.
enum RandomBytes {
    /// - Parameter count: How many bytes, 0 or more.
    static func make(_ count: Int) throws(IdentityError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard RAND_bytes(&bytes, Int32(clamping: count)) == 1 else { throw .cryptography("draw random bytes") }
        return bytes
    }
}
