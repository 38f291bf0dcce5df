import CastClient
import CastDiscovery
import CastWire
import CastwayTestSupport
import Foundation
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Logging
import PluginHosting
import Testing

/// A gateway with plugins that do wrong, and their senders.
struct ChaosBench {
    static let echo: Namespace = "urn:x-cast:com.example.echo"
    private static let app: AppID = "ABCD1234"
    private static let isWarm = Flag()

    let running: RunningGateway
    let life: PluginLives
    let log: LogRecorder
    /// The folder of this gateway alone; everything that belongs to it has it in its environment.
    let folder: TemporaryFolder
    private let outsiders: [String: Outsider]

    /// Runs a gateway with plugins as long as `body` does. When this returns, nothing of it is left, or an issue is recorded.
    /// - Parameter looksAfterHealth: whether plugins that do not say how they feel are ended soon.
    static func with(
        _ plugins: [ChaosPlugin], looksAfterHealth: Bool = true, body: @escaping (ChaosBench) async throws -> Void
    ) async throws {
        if !Self.isWarm.isSet {
            // What is opened once and for good shall not count.
            isWarm.set()
            try await Self.run([ChaosPlugin(name: "first"), ChaosPlugin(kind: .socket, name: "second")]) { bench in
                for name in ["first", "second"] { await bench.life.ready(name) }
                try await bench.withSenders(1) { _ in }
            }
        }
        // Other tests of this process may have left something that goes meanwhile.
        let (before, zombies) = (try ProcessCensus.descriptors(), try ProcessCensus.zombies())
        try await Self.run(plugins, looksAfterHealth: looksAfterHealth, body: body)
        #expect(try ProcessCensus.descriptors(beyond: before).isEmpty, "descriptors are left behind")
        #expect(try ProcessCensus.zombies() <= zombies, "a process that ended was not waited for")
    }

    private static func run(
        _ plugins: [ChaosPlugin], looksAfterHealth: Bool = true, body: @escaping (ChaosBench) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let configuration = try Self.configuration(plugins, in: folder)
            let log = LogRecorder()
            // What is stuck is found sooner than by default, so that no test has to wait for it.
            let timings = PluginTimings(
                healthInterval: looksAfterHealth ? .milliseconds(300) : .seconds(60),
                healthTimeout: .milliseconds(700), shutdown: .milliseconds(300), terminate: .milliseconds(300))
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(
                    configuration: configuration, makeLogger: { log.logger($0) }, network: AbsentNetwork(),
                    pluginTimings: timings)
            }
            let events = gateway.events.subscribe(limit: 65_536) { if case .plugin = $0 { true } else { false } }
            let outsiders = try Self.outsiders(plugins, in: folder)
            defer { for outsider in outsiders.values { outsider.end() } }
            try await RunningGateway.with(gateway) { running in
                try await body(
                    ChaosBench(
                        running: running, life: PluginLives(events.events), log: log, folder: folder,
                        outsiders: outsiders))
            }
            for outsider in outsiders.values { outsider.end() }
            #expect(try ProcessCensus.processes(of: folder.path).isEmpty, "processes are left behind")
        }
    }

    private static func outsiders(
        _ plugins: [ChaosPlugin], in folder: TemporaryFolder
    ) throws -> [String: Outsider] {
        try Dictionary(
            uniqueKeysWithValues: plugins.filter { $0.kind == .socket }.map { plugin in
                (plugin.name, try Outsider(plugin, folder: folder.file("s")))
            })
    }

    /// The configuration with these plugins, for a start or a reload.
    static func configuration(_ plugins: [ChaosPlugin], in folder: TemporaryFolder) throws -> GatewayConfiguration {
        for plugin in plugins {
            let path = "\(folder.path)/Plugins/\(plugin.id)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try plugin.manifest.write(toFile: "\(path)/plugin.yaml", atomically: false, encoding: .utf8)
            if plugin.kind == .module { try plugin.library.make(at: "\(path)/lib", fault: plugin.fault) }
        }
        let instances = plugins.map(\.instance).joined(separator: "\n")
        let path = try folder.write(
            """
            version: 1
            gateway: {state_directory: \(folder.path)/s}
            virtual_devices: [{name: hall, listen: "127.0.0.1:8009", target: local}]
            plugins:
              directory: \(folder.path)/Plugins
              allow_in_process: true
              instances:
            \(instances.isEmpty ? "    []" : instances)
            """, to: "gateway.yaml")
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/Plugins", withIntermediateDirectories: true)
        let result = GatewayConfiguration.load(path: path, environment: [:])
        let read = try #require(result.configuration, "\(result.report)")
        var configuration = GatewayConfiguration.hallAndOffice
        // A short name, since paths of sockets have to be short.
        configuration.gateway.stateDirectory = "\(folder.path)/s"
        configuration.plugins = read.plugins
        return configuration
    }

    // MARK: Plugins

    /// Waits until every plugin answers.
    func ready(_ plugins: [ChaosPlugin]) async {
        for plugin in plugins { await self.life.ready(plugin.name) }
    }

    /// Waits until a plugin has ended unasked, so many times, and is back.
    func isBack(_ plugin: ChaosPlugin, crashes: Int = 1) async {
        for _ in 0..<crashes { await self.life.crashed(plugin.name) }
        // The gateway has cut its wire; its launcher has to find out that it does not notice.
        if plugin.isStuck { self.outsiders[plugin.name]?.replace() }
        await self.life.ready(plugin.name)
    }

    // MARK: Senders

    /// Connects a sender to the app.
    func sender() async throws -> RemoteApp { try await Self.sender(self.running.port("hall")) }

    private static func sender(_ port: Int) async throws -> RemoteApp {
        let device = try await RemoteDevice.connect(
            host: "127.0.0.1", port: port, options: SenderOptions(answerTimeout: .seconds(60)))
        return try await device.run(Self.app)
    }

    /// Connects senders, and hangs up behind them.
    func withSenders(_ count: Int, body: ([RemoteApp]) async throws -> Void) async throws {
        var senders: [RemoteApp] = []
        for _ in 0..<count { senders.append(try await self.sender()) }
        do {
            try await body(senders)
        } catch {
            for sender in senders { await sender.device.close() }
            throw error
        }
        for sender in senders { await sender.device.close() }
    }
}
