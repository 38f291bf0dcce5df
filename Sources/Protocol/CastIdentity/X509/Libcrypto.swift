import CCrypto

/// The error queue that libcrypto keeps for each thread.
enum OpenSSLErrors {
    /// Takes every queued error and leaves the queue empty, so that the next failure does not report this one.
    ///
    /// - Returns: The errors' texts joined by `; `, or `no reason given`.
    static func drain() -> String {
        var texts: [String] = []
        while true {
            let code = ERR_get_error()
            if code == 0 { break }
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(code, &text, text.count)
            texts.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return texts.isEmpty ? "no reason given" : texts.joined(separator: "; ")
    }

    /// Empties the queue after a failure whose reason is already known.
    static func clear() {
        ERR_clear_error()
    }
}

/// Unpredictable bytes from libcrypto.
enum RandomBytes {
    /// - Parameter count: How many bytes, 0 or more.
    static func make(_ count: Int) throws(IdentityError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard RAND_bytes(&bytes, Int32(clamping: count)) == 1 else { throw .cryptography("draw random bytes") }
        return bytes
    }
}

/// Owns a memory BIO, the form in which libcrypto takes and gives text.
struct MemoryBuffer: ~Copyable {
    private let handle: OpaquePointer

    /// An empty buffer, or one that holds a copy of `bytes`; `nil` when memory is short.
    init?(_ bytes: [UInt8] = []) {
        guard let handle = BIO_new(BIO_s_mem()) else { return nil }
        var written = 0
        guard bytes.isEmpty || (BIO_write_ex(handle, bytes, bytes.count, &written) == 1 && written == bytes.count)
        else {
            BIO_free(handle)
            return nil
        }
        self.handle = handle
    }

    deinit {
        BIO_free(self.handle)
    }

    /// Lends the BIO to `body`. A local value may end after its last mention, so the handle never leaves this scope.
    borrowing func withHandle<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        body(self.handle)
    }

    /// Everything that was written and not yet read.
    borrowing func contents() -> [UInt8] {
        var start: UnsafeMutablePointer<CChar>?
        let length = castway_bio_mem_data(self.handle, &start)
        guard let start, length > 0 else { return [] }
        return UnsafeRawBufferPointer(start: start, count: length).map { $0 }
    }

    /// The bytes that `write` puts into a fresh buffer, or `nil` when it returns false.
    static func bytes(_ write: (OpaquePointer) -> Bool) -> [UInt8]? {
        guard let buffer = MemoryBuffer(), buffer.withHandle(write) else {
            OpenSSLErrors.clear()
            return nil
        }
        return buffer.contents()
    }

    /// The text that `write` puts into a fresh buffer, or `nil` when it returns false.
    static func text(_ write: (OpaquePointer) -> Bool) -> String? {
        Self.bytes(write).map { String(decoding: $0, as: UTF8.self) }
    }
}

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
