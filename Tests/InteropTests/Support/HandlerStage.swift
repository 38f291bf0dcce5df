import CastWire
import CastwayTestSupport
import FeatureContract
import Foundation
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Logging
import Testing

/// A gateway that was started from a file and relays to a device, whose handlers change with the file.
struct HandlerStage {
    /// What the file says.
    struct Text: Equatable {
        /// The list `handlers`, in flow style; nil leaves the section out.
        var handlers: String?
        /// What the plugin `film` is granted to replace, in flow style; nil leaves the plugin out.
        var replaces: String?
        /// What is at the end of the plugin's instance.
        var more = ""
    }

    /// A plugin in the place of the media handler: it marks requests, and passes everything else.
    private static let program = """
        #!/usr/bin/env python3
        import castway


        class Film(castway.Plugin):
            def handle(self, message):
                if message.direction == "to_receiver" and "number" in (message.payload or {}):
                    return castway.forward({**message.payload, "film": self.name})
                if message.direction == "to_sender" and message.type == "MEDIA_STATUS":
                    return castway.forward({**message.payload, "film": self.name})
                return castway.passed()


        castway.run(Film)
        """

    private static let manifest = """
        manifest: 1
        id: film
        version: 1.0.0
        exec: [film.py]
        replaces: [media, receiver, multizone, setup]
        """

    private static let silence: @Sendable (String) -> Logger = { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } }

    let folder: TemporaryFolder
    let target: Int

    /// Writes everything but `gateway.yaml`.
    /// - Parameter target: the port of the device that it relays to.
    init(relayingTo target: Int) throws {
        self.folder = try TemporaryFolder()
        self.target = target
        let own = self.folder.file("plugins/film")
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try self.folder.write(Self.manifest, to: "plugins/film/plugin.yaml")
        try self.folder.write(Self.program, to: "plugins/film/film.py")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: own + "/film.py")
    }

    /// Reads the file.
    var source: ConfigurationSource {
        let path = self.folder.file("gateway.yaml")
        return ConfigurationSource { GatewayConfiguration.load(path: path, environment: [:]) }
    }

    /// Writes the file.
    func write(_ text: Text) throws {
        let plugin = text.replaces.map {
            """
            plugins:
              directory: \(self.folder.file("plugins"))
              defaults: {start_timeout: 60s, deadline: {handle: 10s}}
              instances:
                - {name: film, plugin: film, grant: {replaces: \($0)}\(text.more)}
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
            launch: {credentials: {default: {credentials: who}}}
            channels: [{namespace: "\(CounterHandler.namespace.rawValue)", handler: echo}]
            virtual_devices:
              - {name: lobby, listen: "127.0.0.1:0", publish: false, target: {device: screen}}
              - {name: annex, listen: "127.0.0.1:0", publish: false, target: local}
            \(text.handlers.map { "handlers: \($0)" } ?? "")
            \(plugin ?? "")
            """, to: "gateway.yaml")
    }

    /// Runs the gateway of the file, the device behind it, and a driver; the driver's requests flow while the file changes.
    /// - Parameters:
    ///   - kind: what `switching.py` asks for.
    ///   - texts: the file at the start, and after each reload.
    static func run(
        _ kind: String, _ texts: [Text],
        check: (_ count: SwitchedRequests, _ answers: [SwitchedRequests.Answer], _ probe: RequestProbe) throws -> Void
    ) async throws {
        let far = try Stage()
        try await RunningGateway.with(far.far()) { far in
            let probe = RequestProbe()
            try far.gateway.registry.register(probe)
            let stage = try HandlerStage(relayingTo: far.port(Stage.screen))
            try stage.write(try #require(texts.first))
            let loaded = stage.source.load()
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(
                    configuration: try #require(loaded.configuration, "\(loaded.report.text())"),
                    document: loaded.document, source: stage.source, makeLogger: Self.silence)
            }
            try await RunningGateway.with(gateway) { near in
                try await Driver.run(
                    "switching.py", senderPort: near.port(Stage.lobby), witnessPort: far.port(Stage.screen)
                ) { driver in
                    try driver.tell("\(kind) \(texts.count - 1)")
                    _ = try await driver.succeed("playing")
                    for text in texts.dropFirst() {
                        _ = try await driver.next("calm")
                        try stage.write(text)
                        let plan = try await gateway.reload().get()
                        #expect(!plan.changes.isEmpty)
                        try driver.letGoOn()
                    }
                    let count = try await driver.next("counted").details(SwitchedRequests.self)
                    let file = URL(filePath: count.answersFile)
                    let answers = try JSONDecoder().decode(
                        [SwitchedRequests.Answer].self, from: Data(contentsOf: file))
                    try FileManager.default.removeItem(at: file)
                    #expect(count.lost.isEmpty, "\(count.lost)")
                    #expect(count.doubled.isEmpty, "\(count.doubled)")
                    #expect(answers.count == count.sent)
                    #expect(count.calms.count == texts.count)
                    #expect(count.isUntouched, "connection, session and app stay")
                    try check(count, answers, probe)
                }
            }
        }
    }
}
