import Foundation

/// A folder of its own for a test.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "castway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        self.path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    /// Writes a file and gives its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let path = self.path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    /// Reads a file.
    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: self.path + "/" + name)), as: UTF8.self)
    }

    /// Writes a `gateway.yaml` with two virtual devices on ports of the system's choice.
    func writeConfiguration(port: Int = 0, adding text: String = "") throws {
        try self.write(
            """
            version: 1
            gateway: {state_directory: "${CASTWAY_STATE_DIR:-state}"}
            discovery:
              static:
                - {name: projector, address: "127.0.0.1:1"}
            virtual_devices:
              - {name: hall, friendly_name: Great hall, listen: "127.0.0.1:\(port)", target: local}
              - {name: kitchen, listen: "127.0.0.1:0", target: {device: projector}}
            \(text)

            """, to: "gateway.yaml")
    }
}
