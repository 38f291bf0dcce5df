import Foundation

/// A folder of one test's own, for its user alone (mode 0700); it goes with its last reference.
package final class TemporaryFolder: Sendable {
    /// Where it is.
    package let path: String

    /// Makes a folder.
    package init() throws {
        // Short: paths of sockets in it may have no more than 107 bytes.
        let url = FileManager.default.temporaryDirectory.appending(path: "castway-\(UUID().uuidString.prefix(13))")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        self.path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    /// Makes a folder that stays until the body has ended.
    package static func with<Result>(_ body: (TemporaryFolder) async throws -> Result) async throws -> Result {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        return try await body(folder)
    }

    /// A path inside.
    package func file(_ name: String) -> String {
        self.path + "/" + name
    }

    /// Writes a file of text and gives its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try self.write(Array(text.utf8), to: name)
    }

    /// Writes a file of bytes and gives its path.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String) throws -> String {
        let path = self.file(name)
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    /// Reads a file of text.
    package func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: self.file(name))), as: UTF8.self)
    }
}
