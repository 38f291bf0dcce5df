extension [UInt8] {
    /// Collects what one of libcrypto's `i2d_` functions writes, or `nil` when it fails.
    ///
    /// - Parameter encode: Called twice: with `nil` for the length, then with the place to write to, which it advances.
    init?(encodingDER encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) {
        let length = Int(encode(nil))
        guard length > 0 else { return nil }
        var isWhole = false
        let bytes = Self(unsafeUninitializedCapacity: length) { buffer, count in
            var position = buffer.baseAddress
            isWhole = Int(encode(&position)) == length
            count = isWhole ? length : 0
        }
        guard isWhole else { return nil }
        self = bytes
    }

    /// Runs one of libcrypto's `d2i_` functions; a value that leaves bytes over is released and refused.
    ///
    /// - Parameters:
    ///   - decode: Takes the place to read from, which it advances, and the length.
    ///   - release: Frees a value that is not returned.
    func decodedDER(
        _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?,
        release: (OpaquePointer) -> Void
    ) -> OpaquePointer? {
        self.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress, !buffer.isEmpty else { return nil }
            var position: UnsafePointer<UInt8>? = start
            guard let value = decode(&position, buffer.count) else { return nil }
            guard position == start + buffer.count else {
                release(value)
                return nil
            }
            return value
        }
    }
}
