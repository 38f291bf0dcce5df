import Glibc

/// Where `castway-launch` is.
public enum LauncherPath {
    /// Its file name.
    public static let name = "castway-launch"

    /// Beside this program, or where `make install` puts it; beside this program when it is in neither place, so that the
    /// message of the failure names a path.
    public static var found: String {
        let own = Self.executableFolder
        let places = ["\(own)/\(Self.name)", "\(own)/../lib/castway/\(Self.name)"]
        return places.first { access($0, X_OK) == 0 } ?? places[0]
    }

    private static var executableFolder: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        guard length > 0 else { return "." }
        let path = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}

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
