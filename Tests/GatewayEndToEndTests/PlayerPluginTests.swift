import CastWire
import CastwayTestSupport
import Foundation
import GatewayApp
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import Logging
import Testing

/// Apps whose player is a plugin, and apps that nothing plays.
@Suite(.serialized, .timeLimit(.minutes(3))) struct PlayerPluginTests {
    private static let program = """
        #!/usr/bin/env python3
        import castway


        class Jukebox(castway.Plugin):
            media = None

            def status(self):
                playing = {"mediaSessionId": 1, "playerState": "PLAYING", "media": self.media,
                           "customData": {"by": self.name}}
                return {"type": "MEDIA_STATUS", "status": [playing] if self.media else []}

            @castway.on("LOAD")
            def load(self, message):
                self.media = message.payload["media"]
                return castway.reply(self.status()).broadcast({**self.status(), "requestId": 0})

            @castway.on("GET_STATUS")
            def tell(self, message):
                return castway.reply(self.status())


        castway.run(Jukebox)
        """

    private static let manifest = """
        manifest: 1
        id: jukebox
        version: 1.0.0
        exec: [jukebox.py]
        claims: [{match: "urn:x-cast:com.google.cast.media", phase: handle}]
        needs: {send: same_session}
        """

    private static func file(_ folder: TemporaryFolder) -> String {
        """
        version: 1
        gateway: {state_directory: \(folder.file("state"))}
        discovery: {mdns: {enabled: false}}
        virtual_devices:
          - name: hall
            listen: 127.0.0.1:0
            publish: false
            target: local
            apps:
              ABCD1234: {player: {plugin: music}}
              CC1AD845: {player: simulated}
          - name: foyer
            listen: 127.0.0.1:0
            publish: false
            target: local
            apps:
              ABCD1234: {namespaces: ["urn:x-cast:com.google.cast.media"], player: none}
        plugins:
          directory: \(folder.file("plugins"))
          defaults: {start_timeout: 60s, deadline: {handle: 10s}}
          instances:
            - {name: music, plugin: jukebox, grant: {as: manifest}}
        """
    }

    private static func run(_ body: (RunningGateway) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let own = folder.file("plugins/jukebox")
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
            try folder.write(Self.manifest, to: "plugins/jukebox/plugin.yaml")
            try folder.write(Self.program, to: "plugins/jukebox/jukebox.py")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: own + "/jukebox.py")
            try folder.write(Self.file(folder), to: "gateway.yaml")
            let result = GatewayConfiguration.load(path: folder.file("gateway.yaml"), environment: [:])
            let configuration = try #require(result.configuration, "\(result.report.text())")
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(
                    configuration: configuration, makeLogger: { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } })
            }
            try await RunningGateway.with(gateway) { try await body($0) }
        }
    }

    private static func load(_ id: Int) -> JSONObject {
        [
            "type": "LOAD", "requestId": .number(id),
            "media": ["contentId": "http://192.0.2.1/film.mp4", "contentType": "video/mp4", "duration": 60],
        ]
    }

    @Test func aPluginPlaysOneAppAndNoOther() async throws {
        try await Self.run { running in
            try await TestSender.connect(to: running.port("hall")) { sender in
                let app = try await sender.launch("ABCD1234", announcing: .media)
                try await sender.send(Self.load(10), in: .media, to: app)
                // To all who are connected, and to the one who asked.
                for id in [10, 0] {
                    let answer = try #require(try await sender.answer(to: id))
                    #expect(answer.string("type") == "MEDIA_STATUS")
                    let status = try #require(answer.array("status")?.first?.objectValue)
                    #expect(status.object("customData") == ["by": "music"])
                    #expect(status.object("media")?.string("contentId") == "http://192.0.2.1/film.mp4")
                }
                // What it does not know is refused, not passed over.
                try await sender.send(["type": "SEEK", "requestId": 11], in: .media, to: app)
                #expect(try await sender.answer(to: 11)?.string("type") == "INVALID_REQUEST")
            }
            try await TestSender.connect(to: running.port("hall")) { sender in
                let app = try await sender.launch("CC1AD845", announcing: .media)
                try await sender.send(Self.load(10), in: .media, to: app)
                let answer = try #require(try await sender.answer(to: 10))
                #expect(answer.string("type") == "MEDIA_STATUS")
                #expect(answer.array("status")?.first?.objectValue?["customData"] == nil)
            }
        }
    }

    @Test func whatNothingPlaysIsRefused() async throws {
        try await Self.run { running in
            try await TestSender.connect(to: running.port("foyer")) { sender in
                let app = try await sender.launch("ABCD1234", announcing: .media)
                try await sender.send(Self.load(10), in: .media, to: app)
                #expect(try await sender.answer(to: 10)?.string("type") == "LOAD_FAILED")
                try await sender.send(["type": "GET_STATUS", "requestId": 11], in: .media, to: app)
                #expect(try await sender.answer(to: 11)?.string("reason") == "INVALID_COMMAND")
                try await sender.send(["type": "ASK", "requestId": 12], in: "urn:x-cast:com.example.none", to: app)
                #expect(try await sender.answer(to: 12)?.string("type") == "INVALID_REQUEST")
            }
        }
    }
}

extension TestSender {
    /// Launches an app that announces a namespace, and connects to it; returns where it is.
    fileprivate func launch(_ app: String, announcing namespace: Namespace) async throws -> EndpointID {
        _ = try await self.connectPlatform()
        try await self.send(["type": "LAUNCH", "requestId": 2, "appId": .string(app)], in: .receiver)
        let status = ReceiverStatus(json: try #require(try await self.answer(to: 2)?.object("status")))
        let application = try #require(status.applications.first)
        #expect(application.namespaces.contains(namespace))
        let transport = try #require(application.transportID)
        try await self.send(["type": "CONNECT"], in: .connection, to: transport)
        return transport
    }
}
