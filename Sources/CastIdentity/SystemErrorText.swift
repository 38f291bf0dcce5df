import Glibc

/// The system's words for its error numbers.
enum SystemErrorText {
    /// - Parameter code: A value of `errno`.
    static func text(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
