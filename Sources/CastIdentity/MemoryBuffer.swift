import CCrypto

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
