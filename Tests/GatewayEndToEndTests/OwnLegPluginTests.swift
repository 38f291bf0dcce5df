import BuiltInReceiver
import CastWire
import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import Logging
import Testing

@testable import FeatureContract
@testable import GatewayApp
@testable import GatewaySettings

/// A plugin that is granted messages of the gateway's own session with a real device: it hears the app, answers it and speaks to it, and
/// knows the device and the session. The file says so, and a reload takes it away.
@Suite(.serialized, .timeLimit(.minutes(3))) struct OwnLegPluginTests {
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"

    /// Answers what the app asks, tells the app what it was started with when it is told so, and emits each event of a session.
    private static let program = """
        import json, sys
        def out(line):
            print(json.dumps(line), flush=True)
        snapshot, calls = {}, 100
        for line in sys.stdin:
            m = json.loads(line)
            method, id, params = m.get("method"), m.get("id"), m.get("params", {})
            result = {}
            if method == "initialize":
                result = {"protocol": 1, "plugin": {"id": "test.owner", "version": "1.0"}}
            elif method == "start":
                snapshot = params["snapshot"]
            elif method == "message":
                message = params["message"]
                kind = message.get("type")
                if kind == "ASK":
                    result = {"disposition": "reply", "payload": {
                        "type": "ANSWER", "leg": message.get("leg"), "device": message["device"],
                        "sender": message.get("sender", "none"), "devices": snapshot.get("realDevices")}}
                elif kind == "CALL":
                    calls += 1
                    out({"jsonrpc": "2.0", "id": calls, "method": "gateway.send", "params": {
                        "device": message["device"], "leg": "own", "namespace": message["namespace"],
                        "payload": {"type": "CALLED"}}})
                    result = {"disposition": "handled"}
                else:
                    result = {"disposition": "pass"}
            elif method == "event" and params["type"].startswith("session.did"):
                calls += 1
                out({"jsonrpc": "2.0", "id": calls, "method": "gateway.emit", "params": {
                    "event": "owner.saw", "data": {name: params.get(name) for name in ("type", "device", "leg", "app")}}})
            if id is not None and method is not None:
                out({"jsonrpc": "2.0", "id": id, "result": result})
            if method == "shutdown":
                break
        """

    private static let manifest = """
        manifest: 1
        id: test.owner
        version: 1.0
        exec: [python3, -u, owner.py]
        claims: [{match: "urn:x-cast:com.example.*", phase: handle, leg: own, directions: [to_sender, to_receiver]}]
        needs: {send: device, events: ["owner.*"]}
        """

    private static func file(_ folder: TemporaryFolder, port: Int, grant: String) -> String {
        """
        version: 1
        gateway: {state_directory: \(folder.file("state"))}
        discovery:
          mdns: {enabled: false}
          static: [{name: wall, address: "127.0.0.1:\(port)"}]
        virtual_devices: []
        plugins:
          directory: \(folder.file("plugins"))
          instances:
            - name: owner
              plugin: test.owner
              grant:
                namespaces: \(grant)
                send: device
                events: ["owner.*"]
        """
    }

    private static let claim = """
        [{match: "urn:x-cast:com.example.quiz", phase: handle, leg: own, directions: [to_sender], devices: [wall], \
        on_failure: closed, deadline: 10s}]
        """

    /// What reaches the app.
    private struct AppObserver: MessageHandler {
        let name = "app-observer"
        let claims = [Claim(.exact(OwnLegPluginTests.quiz), phase: .observe)]
        let heard = Inbox<JSONObject>()

        func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
            if let json = message.message.payload.jsonObject { self.heard.put(json) }
            return .pass
        }

        func next(_ type: String) async -> JSONObject? {
            await self.heard.next { $0.string("type") == type ? $0 : nil }
        }
    }

    private struct Stage {
        let near: Gateway
        let far: Gateway
        let app: AppObserver
        let folder: TemporaryFolder
        let port: Int

        /// The app says something to all that are connected to it.
        func say(_ json: JSONObject) async throws {
            _ = try await self.far.operations.call(
                "message.broadcast",
                ["device": "hall", "namespace": .string(OwnLegPluginTests.quiz.rawValue), "json": .object(json)],
                for: .admin
            ).get()
        }

        func reload(grant: String) async throws -> ReloadOutcome {
            try self.folder.write(
                OwnLegPluginTests.file(self.folder, port: self.port, grant: grant), to: "gateway.yaml")
            return await self.near.reload()
        }
    }

    private static func run(_ body: (Stage) async throws -> Void) async throws {
        var far = GatewayConfiguration.hallAndOffice
        far.virtualDevices[0].apps = [VirtualAppConfiguration(id: "ABCD1234") { $0.namespaces = [Self.quiz.rawValue] }]
        try await RunningGateway.with(far) { hall in
            let app = AppObserver()
            try hall.gateway.registry.register(app)
            try await TemporaryFolder.with { folder in
                for name in ["state", "plugins/test.owner"] {
                    try FileManager.default.createDirectory(
                        atPath: folder.file(name), withIntermediateDirectories: true)
                }
                try folder.write(Self.manifest, to: "plugins/test.owner/plugin.yaml")
                try folder.write(Self.program, to: "plugins/test.owner/owner.py")
                let port = hall.port("hall")
                try folder.write(Self.file(folder, port: port, grant: Self.claim), to: "gateway.yaml")
                let path = folder.file("gateway.yaml")
                let source = ConfigurationSource { GatewayConfiguration.load(path: path, environment: [:]) }
                let result = source.load()
                let configuration = try #require(result.configuration, "\(result.report.text())")
                let gateway = try await RunningGateway.sharingKeys {
                    try await Gateway(
                        configuration: configuration, document: result.document, source: source,
                        makeLogger: { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } })
                }
                try await RunningGateway.with(gateway) { near in
                    try await body(Stage(near: near.gateway, far: hall.gateway, app: app, folder: folder, port: port))
                }
            }
        }
    }

    @Test func aPluginAnswersTheAppOfAnOwnSession() async throws {
        try await Self.run { stage in
            let saw = stage.near.events.subscribe { if case .custom("owner.saw", _) = $0 { true } else { false } }
            let session = try await stage.near.operations.call(
                "session.start", ["device": "wall", "app": "ABCD1234"], for: .admin
            ).get().body
            var told: JSONObject?
            for await case .custom(_, let data) in saw.events {
                told = data.objectValue
                break
            }
            #expect(told?.string("type") == "session.did_start" && told?.string("leg") == "own")
            #expect(told?.string("device") == "wall" && told?.string("app") == "ABCD1234")
            try await stage.say(["type": "ASK", "requestId": 5])
            let answer = try #require(await stage.app.next("ANSWER"))
            #expect(answer.int("requestId") == 5 && answer.string("leg") == "own" && answer.string("device") == "wall")
            #expect(answer.string("sender") == "none")
            #expect(answer.array("devices")?.compactMap { $0.objectValue?.string("name") } == ["wall"])
            try await stage.say(["type": "CALL"])
            #expect(await stage.app.next("CALLED") != nil)
            // Without the grant the plugin hears nothing, and the app is left to the session.
            let without = try await stage.reload(
                grant: #"[{match: "urn:x-cast:com.example.none", phase: handle, leg: own, directions: [to_sender]}]"#)
            _ = try without.get()
            try await stage.say(["type": "ASK", "requestId": 6])
            _ = try await stage.reload(grant: Self.claim).get()
            try await stage.say(["type": "ASK", "requestId": 7])
            #expect(await stage.app.next("ANSWER")?.int("requestId") == 7)
            let facts = try await stage.near.operations.call(
                "session.get", ["session": session["id"] ?? .null], for: .admin
            ).get().body
            #expect(facts.string("state") == "connected")
        }
    }

    /// What a grant says of the leg has to be asked for by the manifest, and name devices that there are.
    @Test func grantsOfTheLegAreChecked() async throws {
        try await Self.run { stage in
            let grants = [
                (#"[{match: "urn:x-cast:com.example.quiz", phase: handle}]"#, "does not ask for it"),
                (#"[{match: "urn:x-cast:com.example.quiz", phase: handle, leg: own, devices: [wal]}]"#, "wal"),
                (#"[{match: "urn:x-cast:com.example.quiz", phase: handle, leg: south}]"#, "south"),
            ]
            for (grant, words) in grants {
                guard case .failure(.invalid(let report)) = try await stage.reload(grant: grant) else {
                    Issue.record("'\(grant)' was taken")
                    continue
                }
                #expect(report.problems.contains { $0.message.contains(words) }, "\(report.text())")
            }
        }
    }
}
