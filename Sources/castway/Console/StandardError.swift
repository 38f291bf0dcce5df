import Glibc

/// Writes to standard error.
enum StandardError {
    /// Writes a text as it is.
    static func write(_ text: String) {
        FileDescriptor.write(text, to: STDERR_FILENO)
    }
}
