import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import Testing

/// A gateway that was started from a file and relays to a device, with plugins that change with the file.
struct PluggedStage {
    /// What the file says of the plugin that changes.
    struct Plugin: Hashable {
        var version = 1
        var mood = 0
        var namespaces = [PluggedStage.first]
        var deadline = 5
        var onFailure = "open"
    }

    static let first = "urn:x-cast:com.example.counter"
    static let second = "urn:x-cast:com.example.second.counter"
    private static let fixtures = PythonInterpreter.drivers.deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of this gateway alone; whatever belongs to it has it in its environment.
    let folder: TemporaryFolder
    /// The port of the device that it relays to.
    let target: Int

    init(relayingTo target: Int) throws {
        self.folder = try TemporaryFolder()
        self.target = target
        try FileManager.default.createDirectory(atPath: self.ledgers, withIntermediateDirectories: true)
        try self.install("test.behind", version: 0, claims: ["urn:x-cast:com.example.second.*"])
        try self.write(nil)
    }

    /// Where each process says what it handled.
    var ledgers: String { self.folder.file("ledgers") }

    /// Reads the file.
    var source: ConfigurationSource {
        let path = self.folder.file("gateway.yaml")
        return ConfigurationSource { GatewayConfiguration.load(path: path, environment: [:]) }
    }

    /// Writes the file, and the plugin's folder.
    func write(_ plugin: Plugin?) throws {
        if let plugin {
            try self.install("test.counter", version: plugin.version, claims: [Self.first, Self.second])
        }
        let changing = plugin.map { plugin in
            let grants = plugin.namespaces.map {
                "{match: \"\($0)\", phase: handle, deadline: \(plugin.deadline)s, on_failure: \(plugin.onFailure)}"
            }
            return """
                    - name: counter
                      plugin: test.counter
                      grant: {namespaces: [\(grants.joined(separator: ", "))]}
                      config: {ledger: \(self.ledgers), mood: \(plugin.mood)}
                """
        }
        try self.folder.write(
            """
            version: 1
            gateway: {state_directory: \(self.folder.file("state"))}
            discovery:
              mdns: {enabled: false}
              static: [{name: screen, address: "127.0.0.1:\(self.target)"}]
            connections: {senders: {heartbeat: {interval: 60s, timeout: 120s}}}
            shutdown: {drain: 100ms}
            virtual_devices:
              - {name: lobby, listen: "127.0.0.1:0", publish: false, target: {device: screen}}
            plugins:
              directory: \(self.folder.file("plugins"))
              instances:
                - name: behind
                  plugin: test.behind
                  grant: {namespaces: [{match: "urn:x-cast:com.example.second.*", phase: handle, deadline: 5s}]}
                  config: {ledger: \(self.ledgers), mood: 0}
            \(changing ?? "")
            """, to: "gateway.yaml")
    }

    private func install(_ id: String, version: Int, claims: [String]) throws {
        let folder = "plugins/\(id)"
        try FileManager.default.createDirectory(atPath: self.folder.file(folder), withIntermediateDirectories: true)
        let program = try String(
            contentsOf: Self.fixtures.appending(path: "Fixtures/plugins/counter/counter.py"), encoding: .utf8)
        try self.folder.write(
            program.replacing("VERSION = \"0\"", with: "VERSION = \"\(version)\""), to: "\(folder)/counter.py")
        try self.folder.write(
            """
            manifest: 1
            id: \(id)
            version: "\(version)"
            exec: [python3, counter.py]
            claims: [\(claims.map { "{match: \"\($0)\", phase: handle}" }.joined(separator: ", "))]
            """, to: "\(folder)/plugin.yaml")
    }

    /// How many messages each process handled, by its ledger; and the numbers of all of them.
    func handled() throws -> (byProcess: [Int: Int], numbers: [Int]) {
        var byProcess: [Int: Int] = [:]
        var numbers: [Int] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: self.ledgers) {
            let lines = try self.folder.read("ledgers/\(name)").split(separator: "\n").compactMap { Int($0) }
            byProcess[try #require(Int(name))] = lines.count
            numbers += lines
        }
        return (byProcess, numbers)
    }
}
