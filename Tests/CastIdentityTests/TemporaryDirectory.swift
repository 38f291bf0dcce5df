import Foundation

/// A directory of one test's own, removed with its last reference.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/castway-identity-XXXXXX".utf8CString)
        self.path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    /// A path inside.
    func file(_ name: String) -> String {
        self.path + "/" + name
    }

    /// Writes a file inside and returns its path.
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = self.file(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }
}
