import Glibc

/// Finds `castway-launch`.
package enum LauncherPath {
    package static let name = "castway-launch"

    /// Beside this program, or where `make install` puts it; beside this program when it is in neither place, so that the
    /// message of the failure names a path.
    package static var found: String {
        let own = OwnProgram.folder
        let places = ["\(own)/\(Self.name)", "\(own)/../lib/castway/\(Self.name)"]
        return places.first { access($0, X_OK) == 0 } ?? places[0]
    }
}

/// Paths that stay right for a process that works elsewhere.
enum AbsolutePath {
    /// A path from the root; a relative one starts at the working directory.
    static func of(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        return "\(Self.workingDirectory)/\(path.hasPrefix("./") ? String(path.dropFirst(2)) : path)"
    }

    /// A path without links; nil when nothing is there.
    static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }
}
