import Foundation
import GatewayConfig
import GatewaySettings

/// The configuration files under `Tests/Fixtures`.
enum ConfigFixtures {
    /// The environment that the fixtures refer to.
    static let environment = [
        "WORD": "yes", "NUMBER": "5", "EMPTY": "", "HUGE": String(repeating: "x", count: 5 << 20),
        "NAME": "Hotel # 1", "MAX_TOTAL": "2048",
    ]

    /// The names of the bad configurations, sorted.
    static let bad: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Self.folder("BadConfigs"))) ?? []
        return names.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }()

    /// Where a folder of fixtures is, found from this file upwards.
    static func folder(_ name: String) -> String {
        var directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while directory.path != "/" {
            let candidate = directory.appendingPathComponent("Fixtures/\(name)").path
            if FileManager.default.fileExists(atPath: candidate) { return candidate + "/" }
            directory = directory.deletingLastPathComponent()
        }
        return ""
    }

    /// The text of a fixture.
    static func text(_ folder: String, _ name: String) throws -> String {
        try String(contentsOfFile: Self.folder(folder) + name, encoding: .utf8)
    }

    /// The real files of a folder under relative names; permissions come from the names, since a checkout loses them.
    static func fileSystem(_ folder: String) -> ConfigFileSystem {
        let root = Self.folder(folder)
        let disk = ConfigFileSystem.disk
        return ConfigFileSystem(
            read: { (path, limit) throws(ConfigFileError) in try disk.read(root + path, limit) },
            find: { folder, pattern in disk.find(root + folder, pattern) },
            permissions: { path in
                disk.permissions(root + path).map { _ in path.contains("world-readable") ? 0o644 : 0o600 }
            }
        )
    }

    /// Reads one fixture.
    static func load(_ folder: String, _ name: String) -> GatewayConfigurationResult {
        GatewayConfiguration.load(
            path: name,
            fileSystem: Self.fileSystem(folder),
            environment: Self.environment
        )
    }
}
