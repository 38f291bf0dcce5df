import CastDiscovery
import CastSender
import CastWire
import CastwayTestSupport
import Foundation
import GatewayApp
import GatewayCore
import GatewayFixtures
import Logging
import PluginHosting
import Testing

/// A gateway with plugins that do wrong, a sender of theirs, and a sender whom they are none of his business.
struct ChaosBench {
    static let echo: Namespace = "urn:x-cast:com.example.echo"
    private static let app: AppID = "ABCD1234"

    let running: RunningGateway
    let life: PluginLives
    let log: LogRecorder
    /// The folder of this gateway alone; everything that belongs to it has it in its environment.
    let folder: TemporaryFolder

    /// The plugin's folder of one of the fixtures.
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/plugins/chaos")

    /// Runs a gateway with plugins as long as `body` does. When this returns, nothing of it is left, or an issue is recorded.
    static func with(_ plugins: ChaosPlugin..., body: @escaping (ChaosBench) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let configuration = try Self.configuration(plugins, in: folder)
            let log = LogRecorder()
            // What is stuck is found sooner than by default, so that nobody has to wait for it.
            let timings = PluginTimings(
                healthInterval: .milliseconds(500), healthTimeout: .milliseconds(500), terminate: .seconds(1))
            let gateway = try await Gateway(
                configuration: configuration, makeLogger: { log.logger($0) }, network: AbsentNetwork(),
                pluginTimings: timings)
            let events = gateway.events.subscribe { if case .plugin = $0 { true } else { false } }
            try await RunningGateway.with(gateway) { running in
                try await body(
                    ChaosBench(running: running, life: PluginLives(events.events), log: log, folder: folder))
            }
            #expect(try ProcessCensus.count(of: folder.path) == 0, "processes are left behind")
        }
    }

    /// The configuration with these plugins, for a start or a reload.
    static func configuration(_ plugins: [ChaosPlugin], in folder: TemporaryFolder) throws -> GatewayConfiguration {
        let plugged = plugins.map(\.instance).joined(separator: "\n")
        for plugin in plugins { try Self.install(plugin, in: folder) }
        let path = try folder.write(
            """
            version: 1
            gateway: {state_directory: \(folder.path)/state}
            virtual_devices: [{name: hall, listen: "127.0.0.1:8009", target: local}]
            plugins:
              directory: \(folder.path)/Plugins
              allow_in_process: true
              instances:
            \(plugged.isEmpty ? "    []" : plugged)
            """, to: "gateway.yaml")
        let result = GatewayConfiguration.load(path: path, environment: [:])
        let read = try #require(result.configuration, "\(result.report)")
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.gateway.stateDirectory = "\(folder.path)/state"
        configuration.plugins = read.plugins
        return configuration
    }

    private static func install(_ plugin: ChaosPlugin, in folder: TemporaryFolder) throws {
        let path = "\(folder.path)/Plugins/\(plugin.id)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(plugin.manifest.utf8).write(to: URL(filePath: "\(path)/plugin.yaml"))
        if plugin.kind == .module { try plugin.library.make(at: "\(path)/lib", fault: plugin.fault) }
        guard let program = plugin.kind.command?.first else { return }
        let source = Self.fixtures.appending(path: program)
        let target = URL(filePath: "\(path)/\(program)")
        guard !FileManager.default.fileExists(atPath: target.path) else { return }
        try FileManager.default.copyItem(at: source, to: target)
    }

    // MARK: Senders

    /// Connects a sender to the app.
    func sender() async throws -> RemoteApp {
        let device = try await RemoteDevice.connect(
            host: "127.0.0.1", port: self.running.port("hall"), options: SenderOptions(answerTimeout: .seconds(60)))
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

extension RemoteApp {
    /// Asks a plugin, or what answers in its place.
    func ask(_ type: String, _ plugin: ChaosPlugin = ChaosPlugin()) async throws -> Answer {
        let answer = try await self.device.request(
            ["type": .string(type)], in: Namespace(rawValue: plugin.namespace), to: self.transportID)
        return Answer(json: try #require(answer.payload.jsonObject))
    }

    /// Says something in a namespace that no plugin has to do with, so many times one after the other.
    /// - Returns: the longest that one took.
    func askBystander(times: Int) async throws -> Duration {
        let clock = ContinuousClock()
        var longest = Duration.zero
        for number in 0..<times {
            let began = clock.now
            let answer = try await self.device.request(
                ["type": "ECHO", "number": .number(number)], in: ChaosBench.echo, to: self.transportID)
            longest = max(longest, clock.now - began)
            #expect(answer.payload.jsonObject?.int("number") == number)
        }
        return longest
    }
}

/// What came back to a sender.
struct Answer: Equatable {
    /// The type: the plugin's word, or INVALID_REQUEST.
    let type: String?
    /// Why it was refused.
    let reason: String?
    /// The process that answered.
    let process: Int?

    init(json: JSONObject) {
        self.type = json.string("type")
        self.reason = json.string("reason")
        self.process = json.int("pid")
    }

    /// A handler failed, and its claim says `on_failure: closed`.
    var isFailure: Bool { self.type == "INVALID_REQUEST" && self.reason == "APP_ERROR" }
}
