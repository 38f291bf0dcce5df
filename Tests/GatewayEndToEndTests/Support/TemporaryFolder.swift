import Foundation

/// A folder that exists while a body runs.
enum TemporaryFolder {
    static func with<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "castway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder.path)
    }
}
