internal import Glibc

extension ConfigFileSystem {
    /// The files of this machine; relative paths start at the working directory.
    public static let disk = ConfigFileSystem(
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
