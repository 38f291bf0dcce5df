/// How a configuration reaches its files, so that tests can give it files in memory.
public struct ConfigFileSystem: Sendable {
    /// Reads the whole of the file at a path, at most so many bytes.
    public var read: @Sendable (_ path: String, _ limit: Int) throws(ConfigFileError) -> [UInt8]
    /// Finds the files in a folder that match a pattern (`*`, `?`), relative to that folder, in any order.
    ///
    /// The folder is empty for the working directory, otherwise it ends in a slash.
    public var find: @Sendable (_ folder: String, _ pattern: String) -> [String]
    /// The permission bits of the file at a path; nil when they cannot be told.
    public var permissions: @Sendable (_ path: String) -> UInt32?

    /// The working directory, as an absolute path; empty when it cannot be told.
    public var workingDirectory: @Sendable () -> String

    /// Makes a file system from its operations.
    public init(
        read: @escaping @Sendable (_ path: String, _ limit: Int) throws(ConfigFileError) -> [UInt8],
        find: @escaping @Sendable (_ folder: String, _ pattern: String) -> [String],
        permissions: @escaping @Sendable (_ path: String) -> UInt32?,
        workingDirectory: @escaping @Sendable () -> String = { "" }
    ) {
        self.read = read
        self.find = find
        self.permissions = permissions
        self.workingDirectory = workingDirectory
    }
}
