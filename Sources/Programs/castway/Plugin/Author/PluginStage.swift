import CastWire
import GatewayConfig
import GatewaySettings
import PluginHosting
import PluginKit

/// The small gateway of `plugin run`: a `gateway.yaml` that the author does not have to write.
struct PluginStage {
    /// The app of the device, with the plugin's namespaces.
    static let app = "ABCD1234"

    let plugin: PluginUnderTest
    let isAttached: Bool
    let config: JSONObject
    let listen: String
    let stateDirectory: String
    let logLevel: String
    let sandbox: PluginSandbox

    /// Checks and types the configuration; what is wrong goes to standard error.
    /// - Throws: ``CommandFailure`` when anything is.
    func configuration() throws -> GatewayConfiguration {
        let name = "plugin run"
        // JSON is YAML too, and every check of gateway.yaml holds here as well.
        let text = JSONValue.object(self.json).text
        let memory = ConfigFileSystem.memory([name: text])
        let disk = ConfigFileSystem.disk
        let files = ConfigFileSystem(
            read: { (path, limit) throws(ConfigFileError) in
                path == name ? try memory.read(path, limit) : try disk.read(path, limit)
            }, find: disk.find, permissions: { $0 == name ? 0o600 : disk.permissions($0) })
        let result = GatewayConfiguration.load(path: name, fileSystem: files, environment: [:])
        guard let configuration = result.configuration else {
            StandardError.write(Terminal.error.report(result.report.text()))
            throw CommandFailure(.configurationInvalid)
        }
        return configuration
    }

    private var json: JSONObject {
        let manifest = self.plugin.folder.manifest
        let parent = self.plugin.folder.path.split(separator: "/").dropLast().joined(separator: "/")
        var instance: JSONObject = [
            "name": .string(self.plugin.name), "plugin": .string(manifest.id), "grant": ["as": "manifest"],
            "config": .object(self.config), "sandbox": .string(self.sandbox.rawValue),
            "restart": ["initial": "200ms", "max": "2s"],
        ]
        if !manifest.replaces.isEmpty {
            let names = manifest.replaces.map { JSONValue.string($0.rawValue) }
            instance["grant"] = ["as": "manifest", "replaces": .array(names)]
        }
        let isModule = manifest.kind == .module && !self.isAttached
        if self.isAttached { instance["kind"] = "socket" }
        var app: JSONObject = [
            "name": .string(self.plugin.name), "namespaces": .array(self.namespaces.map { .string($0) }),
        ]
        if manifest.canPlay { app["player"] = ["plugin": .string(self.plugin.name)] }
        let apps: JSONObject = ["CC1AD845": ["name": "Player", "player": "simulated"], Self.app: .object(app)]
        return [
            "version": 1,
            "gateway": ["id": "plugin-run", "name": "Castway", "state_directory": .string(self.stateDirectory)],
            "log": ["level": .string(self.logLevel)], "discovery": ["mdns": ["enabled": false]],
            "virtual_devices": [
                [
                    "name": "test", "friendly_name": "Test screen", "listen": .string(self.listen), "publish": false,
                    "target": "local", "apps": .object(apps),
                ]
            ],
            "plugins": [
                "directory": .string("/\(parent)"), "allow_in_process": .bool(isModule),
                "instances": [.object(instance)],
            ],
        ]
    }

    /// The apps' own among the namespaces that the plugin asks for; a prefix stands for one below it.
    private var namespaces: [String] {
        var found: [String] = []
        for claim in self.plugin.folder.manifest.claims where claim.match != "*" {
            let name = claim.match.hasSuffix(".*") ? claim.match.dropLast(1) + "test" : claim.match
            guard !name.hasPrefix("urn:x-cast:com.google."), !found.contains(name) else { continue }
            found.append(name)
        }
        return found
    }

    /// What people are told when senders can connect.
    func summary(port: Int?) -> [String] {
        let host = self.listen.split(separator: ":").dropLast().joined(separator: ":")
        let address = "\(host == "0.0.0.0" ? "127.0.0.1" : host):\(port ?? 8009)"
        var lines = ["\(self.plugin.title) has a gateway of its own, and the device Test screen at \(address)."]
        if self.isAttached {
            lines += [
                "", "Start the plugin with this in its environment:",
                "  CASTWAY_CONNECT=\(self.stateDirectory)/plugins/\(self.plugin.name).sock",
            ]
            if let kit = PythonKit.folder {
                lines += ["One in Python finds its kit with this:", "  \(PythonKit.variable)=\(kit)"]
            }
        }
        let namespace = self.namespaces.first ?? "urn:x-cast:com.google.cast.media"
        return lines + [
            "", "Try next:",
            "  castway cast \(address) send \(namespace) '{\"type\":\"HELLO\",\"requestId\":1}' --app \(Self.app)",
            "  castway plugin trace \(self.plugin.name) --admin unix:\(self.stateDirectory)/admin.sock",
            "Ctrl-C ends it.",
        ]
    }
}
