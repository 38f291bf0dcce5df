import Glibc

/// Writes to standard output at once, also into a pipe.
///
/// What cannot be written ends the program: a reader of less than all must not take it for all, and a watch whose reader
/// has gone would go on for ever.
enum StandardOutput {
    /// Writes a text as it is.
    static func write(_ text: String) {
        guard !FileDescriptor.write(text, to: STDOUT_FILENO) else { return }
        let code = errno
        // A reader that has had enough, such as head, is no reason to complain.
        if code != EPIPE {
            StandardError.write("castway: standard output cannot be written: \(SystemError.text(code))\n")
        }
        Glibc.exit(ExitStatus.outputUnusable.rawValue)
    }

    /// Writes lines, each with a line break.
    static func write(lines: [String]) {
        Self.write(lines.map { $0 + "\n" }.joined())
    }
}
