import Glibc

enum FolderPath {
    /// A path from the root, without a slash at its end.
    static func absolute(_ path: String) -> String {
        let trimmed = Self.trimmed(path)
        if trimmed.hasPrefix("/") { return trimmed }
        guard let current = getcwd(nil, 0) else { return trimmed }
        defer { free(current) }
        let base = String(cString: current)
        let rest = trimmed.hasPrefix("./") ? String(trimmed.dropFirst(2)) : trimmed
        return rest == "." ? base : "\(base)/\(rest)"
    }

    static func trimmed(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }

    static func name(_ path: String) -> String {
        Self.absolute(path).split(separator: "/").last.map { String($0) } ?? ""
    }

    /// The names of what is in a folder; none when there is no such folder.
    /// - Throws: ``CommandFailure`` when it cannot be read.
    static func files(in folder: String) throws -> [String] {
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw CommandFailure(.refused, "\(folder): \(SystemError.text(errno))")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
    }
}
