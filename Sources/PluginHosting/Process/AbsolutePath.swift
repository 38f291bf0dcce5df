import Glibc

/// Paths that stay right for a process that works elsewhere.
enum AbsolutePath {
    /// A path from the root; a relative one starts at the working directory.
    static func of(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        return "\(Self.workingDirectory)/\(path.hasPrefix("./") ? String(path.dropFirst(2)) : path)"
    }

    private static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }
}
