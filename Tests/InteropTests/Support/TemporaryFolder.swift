import Foundation

/// A folder of one test's own, removed with its last reference.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "castway-interop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        self.path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }
}
