import Glibc

/// Writes whole texts to open files.
enum FileDescriptor {
    /// Writes all of a text.
    /// - Returns: false when it cannot be written.
    @discardableResult
    static func write(_ text: String, to file: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
