import Glibc

/// Errors of system calls in words.
enum SystemError {
    /// `Permission denied` and the like.
    static func text(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
