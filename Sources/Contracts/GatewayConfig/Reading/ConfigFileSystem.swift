internal import Glibc

/// The way to the files of a configuration, so that tests can give it files in memory.
package struct ConfigFileSystem: Sendable {
    /// Reads the whole of the file at a path, at most so many bytes.
    package var read: @Sendable (_ path: String, _ limit: Int) throws(ConfigFileError) -> [UInt8]
    /// Finds the files in a folder that match a pattern (`*`, `?`), relative to that folder, in any order.
    ///
    /// The folder is empty for the working directory, otherwise it ends in a slash.
    package var find: @Sendable (_ folder: String, _ pattern: String) -> [String]
    /// The permission bits of the file at a path; nil when they cannot be told.
    package var permissions: @Sendable (_ path: String) -> UInt32?

    /// The working directory, as an absolute path; empty when it cannot be told.
    package var workingDirectory: @Sendable () -> String

    /// The absolute path of what a path leads to, without links in it; nil when there is nothing, and where there are no links.
    package var realPath: @Sendable (_ path: String) -> String?

    package init(
        read: @escaping @Sendable (_ path: String, _ limit: Int) throws(ConfigFileError) -> [UInt8],
        find: @escaping @Sendable (_ folder: String, _ pattern: String) -> [String],
        permissions: @escaping @Sendable (_ path: String) -> UInt32?,
        workingDirectory: @escaping @Sendable () -> String = { "" },
        realPath: @escaping @Sendable (_ path: String) -> String? = { _ in nil }
    ) {
        self.read = read
        self.find = find
        self.permissions = permissions
        self.workingDirectory = workingDirectory
        self.realPath = realPath
    }
}

extension ConfigFileSystem {
    /// The files of this machine; relative paths start at the working directory.
    package static let disk = ConfigFileSystem(
        read: { (path, limit) throws(ConfigFileError) in try Self.readFile(path, limit: limit) },
        find: { folder, pattern in Self.findFiles(in: folder, pattern: pattern) },
        permissions: { path in
            var status = stat()
            return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
        },
        workingDirectory: {
            guard let path = getcwd(nil, 0) else { return "" }
            defer { free(path) }
            return String(cString: path)
        },
        realPath: { path in
            guard let path = realpath(path.isEmpty ? "." : path, nil) else { return nil }
            defer { free(path) }
            return String(cString: path)
        }
    )

    private static func readFile(_ path: String, limit: Int) throws(ConfigFileError) -> [UInt8] {
        // Non-blocking, so that opening a pipe does not wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw errno == ENOENT ? .notFound : .refused(String(cString: strerror(errno)))
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .refused(String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard status.st_size <= limit else { throw .tooLarge }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw .refused(String(cString: strerror(errno)))
            }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw .tooLarge }
        }
    }

    private static func findFiles(in folder: String, pattern: String) -> [String] {
        // Only the pattern may have wildcards, not the folder that the configuration happens to lie in.
        let escaped = Self.escape("*?[]\\", in: folder) + Self.escape("[]\\", in: pattern)
        var result = glob_t()
        defer { globfree(&result) }
        guard glob(escaped, 0, nil, &result) == 0 else { return [] }
        var paths: [String] = []
        for index in 0..<Int(result.gl_pathc) {
            guard let path = result.gl_pathv[index] else { continue }
            paths.append(String(String(cString: path).dropFirst(folder.count)))
        }
        return paths
    }

    private static func escape(_ special: String, in text: String) -> String {
        text.reduce(into: "") { result, character in
            if special.contains(character) { result += "\\" }
            result.append(character)
        }
    }
}

extension ConfigFileSystem {
    /// Files in memory, for tests and for text that is not on disk.
    ///
    /// - Parameters:
    ///   - files: The texts by path.
    ///   - permissions: The permission bits by path; 0600 for every other file.
    package static func memory(_ files: [String: String], permissions: [String: UInt32] = [:]) -> ConfigFileSystem {
        ConfigFileSystem(
            read: { (path, limit) throws(ConfigFileError) in
                guard let text = files[path] else { throw .notFound }
                guard text.utf8.count <= limit else { throw .tooLarge }
                return Array(text.utf8)
            },
            find: { folder, pattern in
                let pattern = pattern.split(separator: "/").map { Glob(String($0)) }
                return files.keys.filter { $0.hasPrefix(folder) }.map { String($0.dropFirst(folder.count)) }.filter {
                    let parts = $0.split(separator: "/").map(String.init)
                    return parts.count == pattern.count && zip(pattern, parts).allSatisfy { $0.matches($1) }
                }
            },
            permissions: { files[$0] == nil ? nil : permissions[$0] ?? 0o600 }
        )
    }
}

/// The reason a file could not be read.
package enum ConfigFileError: Error, Sendable, Equatable {
    case notFound
    /// It is a folder, a pipe or a device.
    case notAFile
    /// It has more bytes than the reader takes.
    case tooLarge
    /// The system refuses, in its own words.
    case refused(String)

    /// The reason in the words of a message.
    package var reason: String {
        switch self {
        case .notFound: "no such file"
        case .notAFile: "not a regular file"
        case .tooLarge: "too large"
        case .refused(let words): words
        }
    }
}

/// Paths in a configuration: a relative one starts at the folder of the file that holds it.
package enum ConfigPath {
    /// Resolves a path that a file of a configuration holds.
    ///
    /// - Parameters:
    ///   - path: The path as it is written, or as a variable gave it.
    ///   - file: The file that holds it, as it was named. A name without a folder is one in the working directory, and
    ///     leaves the path as it is.
    package static func resolved(_ path: String, in file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        var rest = Substring(path)
        while rest.hasPrefix("./") { rest = rest.dropFirst(2).drop { $0 == "/" } }
        return "\(file[...slash])\(rest.isEmpty ? "." : rest)"
    }
}
