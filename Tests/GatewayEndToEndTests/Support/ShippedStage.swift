import CastwayTestSupport
import Foundation
import GatewayApp
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import Logging
import PluginHosting
import Testing

/// A gateway with one of the plugins that ship, listed and granted exactly as the plugin's README prints it.
struct ShippedStage {
    let running: RunningGateway
    let folder: TemporaryFolder
    /// The plugin's state directory.
    let stateDirectory: String

    /// The devices that the READMEs name, all of them the built-in receiver.
    static let devices = ["living-room", "kitchen", "kids-tablet"]
    /// The app with the plugins' own namespaces.
    static let app = "ABCD1234"

    static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Runs a gateway with a plugin while the body does.
    /// - Parameters:
    ///   - plugin: its folder below `Plugins`.
    ///   - config: what stands in the place of the README's `config`, as a YAML flow mapping; nil takes that.
    ///   - afterwards: called with the plugin's state directory when the gateway has shut down.
    static func run(
        _ plugin: String, config: String? = nil,
        makeLogger: @escaping @Sendable (String) -> Logger = { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } },
        _ body: (ShippedStage) async throws -> Void, afterwards: (String) throws -> Void = { _ in }
    ) async throws {
        try await TemporaryFolder.with { folder in
            try FileManager.default.createDirectory(
                atPath: folder.file("plugins/\(plugin)"), withIntermediateDirectories: true)
            try Self.install(plugin, in: folder.file("plugins/\(plugin)"))
            let section = try Self.section(plugin, config: config, directory: folder.file("plugins"))
            try folder.write(Self.file(section, state: folder.file("state")), to: "gateway.yaml")
            let result = GatewayConfiguration.load(path: folder.file("gateway.yaml"), environment: [:])
            #expect(!result.report.hasErrors, "\(result.report.text())")
            let configuration = try #require(result.configuration)
            let name = try #require(configuration.plugins.instances.first?.name)
            let state = folder.file("state/plugins/\(name)")
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(configuration: configuration, makeLogger: makeLogger)
            }
            try await RunningGateway.with(gateway) {
                try await body(ShippedStage(running: $0, folder: folder, stateDirectory: state))
            }
            try afterwards(state)
        }
    }

    /// The plugin's files, with what is built from Swift as it was built last.
    private static func install(_ plugin: String, in folder: String) throws {
        let source = Self.checkout.appending(path: "Plugins/\(plugin)")
        for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            guard !["Sources", "UnitTests", "tests", "bin", "lib", "__pycache__"].contains(name) else { continue }
            let item = source.appending(path: name).resolvingSymlinksInPath()
            try FileManager.default.copyItem(atPath: item.path, toPath: "\(folder)/\(name)")
        }
        let products = URL(filePath: LauncherPath.found).deletingLastPathComponent()
        let program = products.appending(path: plugin)
        guard FileManager.default.fileExists(atPath: source.appending(path: "Sources/Program").path) else { return }
        try FileManager.default.createDirectory(atPath: "\(folder)/bin", withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            atPath: program.resolvingSymlinksInPath().path, toPath: "\(folder)/bin/\(plugin)")
    }

    /// The section `plugins` of the README.
    private static func section(_ plugin: String, config: String?, directory: String) throws -> String {
        let readme = try String(
            contentsOf: Self.checkout.appending(path: "Plugins/\(plugin)/README.md"), encoding: .utf8)
        let blocks = readme.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        let found = blocks.filter { $0.hasPrefix("yaml\nplugins:\n  instances:\n") }
        #expect(found.count == 1, "\(plugin)/README.md prints one section of gateway.yaml")
        var lines = try #require(found.first).components(separatedBy: "\n").dropFirst(2)
        if let config, let start = lines.firstIndex(where: { $0.hasPrefix("      config:") }) {
            lines = lines[..<start] + ["      config: \(config)", ""]
        }
        let settings = "{start_timeout: 60s, deadline: {filter: 10s, handle: 10s}}"
        return "plugins:\n  directory: \(directory)\n  defaults: \(settings)\n" + lines.joined(separator: "\n")
    }

    private static func file(_ plugins: String, state: String) -> String {
        let devices = Self.devices.map { name in
            """
              - name: \(name)
                listen: 127.0.0.1:0
                publish: false
                target: local
                apps:
                  CC1AD845: {player: simulated}
                  \(Self.app):
                    namespaces: ["urn:x-cast:dev.castway.echo", "urn:x-cast:dev.castway.quiz", "urn:x-cast:com.example.chat"]
            """
        }
        return """
            version: 1
            gateway: {state_directory: \(state)}
            discovery: {mdns: {enabled: false}}
            virtual_devices:
            \(devices.joined(separator: "\n"))
            \(plugins)
            """
    }
}
