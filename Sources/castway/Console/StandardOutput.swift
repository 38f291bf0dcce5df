import Glibc

/// Writes to standard output at once, also into a pipe.
enum StandardOutput {
    /// Writes a text as it is.
    static func write(_ text: String) {
        FileDescriptor.write(text, to: STDOUT_FILENO)
    }

    /// Writes lines, each with a line break.
    static func write(lines: [String]) {
        Self.write(lines.map { $0 + "\n" }.joined())
    }
}
