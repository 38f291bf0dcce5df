extension ConfigFileSystem {
    /// Files in memory, for tests and for text that is not on disk.
    ///
    /// - Parameters:
    ///   - files: The texts by path.
    ///   - permissions: The permission bits by path; 0600 for every other file.
    public static func memory(_ files: [String: String], permissions: [String: UInt32] = [:]) -> ConfigFileSystem {
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
