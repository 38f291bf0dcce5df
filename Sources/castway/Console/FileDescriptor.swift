import Glibc

/// Reads and writes whole files.
enum FileDescriptor {
    /// Writes all of a text.
    /// - Returns: false when it cannot be written.
    @discardableResult
    static func write(_ text: String, to file: Int32) -> Bool { Self.write(Array(text.utf8), to: file) }

    /// Writes all of some bytes.
    /// - Returns: false when they cannot be written.
    @discardableResult
    static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads a file.
    /// - Returns: nil when it cannot be read, with the reason in `errno`.
    static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }
}
