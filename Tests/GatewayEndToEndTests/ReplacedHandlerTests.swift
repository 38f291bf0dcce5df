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

/// A plugin in the place of the media handler of one device: what it gets, and who answers what it leaves.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ReplacedHandlerTests {
    private static let program = """
        #!/usr/bin/env python3
        import castway


        class Film(castway.Plugin):
            @castway.on("LOAD")
            def load(self, message):
                if message.payload["media"].get("contentId") == "film:1":
                    return castway.reply({"type": "MEDIA_STATUS", "status": [], "customData": {"by": self.name}})
                return castway.passed()

            @castway.on("GET_STATUS")
            def tell(self, message):
                if message.payload.get("customData", {}).get("fails"):
                    raise ValueError("as the test wants it")
                return castway.passed()

            @castway.on("MEDIA_STATUS")
            def status(self, message):
                return castway.forward({**message.payload, "customData": {"seen": self.name}})


        castway.run(Film)
        """

    private static let manifest = """
        manifest: 1
        id: film
        version: 1.0.0
        exec: [film.py]
        replaces: [media]
        """

    private static func file(_ folder: TemporaryFolder, _ grant: String) -> String {
        """
        version: 1
        gateway: {state_directory: \(folder.file("state"))}
        discovery: {mdns: {enabled: false}}
        virtual_devices:
          - {name: hall, listen: "127.0.0.1:0", publish: false, target: local, apps: {CC1AD845: {player: simulated}}}
          - {name: foyer, listen: "127.0.0.1:0", publish: false, target: local, apps: {CC1AD845: {player: simulated}}}
        plugins:
          directory: \(folder.file("plugins"))
          defaults: {start_timeout: 60s, deadline: {handle: 10s}}
          instances:
            - {name: film, plugin: film, grant: {replaces: [\(grant)]}}
        """
    }

    private static func run(
        _ grant: String = "{handler: media, devices: [hall]}", _ body: (RunningGateway) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let own = folder.file("plugins/film")
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
            try folder.write(Self.manifest, to: "plugins/film/plugin.yaml")
            try folder.write(Self.program, to: "plugins/film/film.py")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: own + "/film.py")
            try folder.write(Self.file(folder, grant), to: "gateway.yaml")
            let result = GatewayConfiguration.load(path: folder.file("gateway.yaml"), environment: [:])
            let configuration = try #require(result.configuration, "\(result.report.text())")
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(
                    configuration: configuration, makeLogger: { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } })
            }
            try await RunningGateway.with(gateway) { try await body($0) }
        }
    }

    private static func load(_ id: Int, _ content: String = "http://192.0.2.1/film.mp4") -> JSONObject {
        [
            "type": "LOAD", "requestId": .number(id),
            "media": ["contentId": .string(content), "contentType": "video/mp4", "streamType": "BUFFERED"],
        ]
    }

    private static func status(_ id: Int, fails: Bool = false) -> JSONObject {
        ["type": "GET_STATUS", "requestId": .number(id), "customData": ["fails": .bool(fails)]]
    }

    @Test func itAnswersOnItsDeviceAndLeavesTheRestToTheHandler() async throws {
        try await Self.run { running in
            try await TestSender.connect(to: running.port("hall")) { sender in
                let app = try await sender.launchAndLoad()
                try await sender.send(Self.load(50, "film:1"), in: .media, to: app)
                #expect(try await sender.answer(to: 50)?.object("customData") == ["by": "film"])
                // The device is not asked about that one, and plays what it played.
                try await sender.send(Self.status(51), in: .media, to: app)
                let answer = try #require(try await sender.answer(to: 51))
                #expect(answer.array("status")?.isEmpty == false)
                #expect(answer.object("customData") == ["seen": "film"], "it gets what the device says, too")
            }
            try await TestSender.connect(to: running.port("foyer")) { sender in
                let app = try await sender.launchAndLoad()
                try await sender.send(Self.status(50), in: .media, to: app)
                #expect(try await sender.answer(to: 50)?["customData"] == nil)
            }
        }
    }

    @Test(arguments: [("open", "MEDIA_STATUS", nil), ("closed", "INVALID_REQUEST", "APP_ERROR")])
    func whatItFailsOverFollowsItsPolicy(_ policy: String, type: String, reason: String?) async throws {
        try await Self.run("{handler: media, on_failure: \(policy)}") { running in
            try await TestSender.connect(to: running.port("hall")) { sender in
                let app = try await sender.launchAndLoad()
                try await sender.send(Self.status(50, fails: true), in: .media, to: app)
                let answer = try #require(try await sender.answer(to: 50))
                #expect(answer.string("type") == type)
                #expect(answer.string("reason") == reason)
            }
        }
    }

    @Test func withoutAProcessTheHandlerAnswers() async throws {
        try await Self.run("media") { running in
            let plugin = try #require(running.gateway.plugins["film"])
            plugin.disable()
            await plugin.untilSettled()
            try await TestSender.connect(to: running.port("hall")) { sender in
                let app = try await sender.launchAndLoad()
                try await sender.send(Self.status(50), in: .media, to: app)
                let answer = try #require(try await sender.answer(to: 50))
                #expect(answer.string("type") == "MEDIA_STATUS" && answer["customData"] == nil)
            }
        }
    }

    /// Whether the plugin has seen the answer to a request.
    private static func isSeen(_ id: Int, _ sender: TestSender, at app: EndpointID) async throws -> Bool {
        try await sender.send(Self.status(id), in: .media, to: app)
        let answer = try #require(try await sender.answer(to: id))
        return answer.object("customData") == ["seen": "film"]
    }

    @Test func switchedOffItIsNotAskedAndSwitchedOnItIs() async throws {
        try await Self.run { running in
            let registry = running.gateway.registry
            try await TestSender.connect(to: running.port("hall")) { sender in
                let app = try await sender.launchAndLoad()
                registry.setEnabled(false, "film")
                let isSeenOff = try await Self.isSeen(50, sender, at: app)
                registry.setEnabled(true, "film")
                let isSeenOn = try await Self.isSeen(51, sender, at: app)
                #expect(!isSeenOff && isSeenOn)
            }
        }
    }

    /// A process that comes anew does not come on by that.
    @Test func aRestartLeavesItOff() async throws {
        try await Self.run { running in
            let registry = running.gateway.registry
            try await TestSender.connect(to: running.port("hall")) { sender in
                let app = try await sender.launchAndLoad()
                registry.setEnabled(false, "film")
                try await Self.restart(running)
                let isSeenOff = try await Self.isSeen(50, sender, at: app)
                registry.setEnabled(nil, "film")
                let isSeenOn = try await Self.isSeen(51, sender, at: app)
                #expect(!isSeenOff && isSeenOn)
            }
        }
    }

    private static func restart(_ running: RunningGateway) async throws {
        let ready = running.gateway.events.subscribe { event in
            if case .plugin(_, .ready) = event { true } else { false }
        }
        try #require(running.gateway.plugins["film"]).restart()
        _ = await ready.events.first { _ in true }
    }
}
