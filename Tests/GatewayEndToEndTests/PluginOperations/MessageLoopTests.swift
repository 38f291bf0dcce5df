import CastWire
import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import Logging
import Testing

@testable import GatewayApp
@testable import GatewaySettings

/// Plugins that have an operation send what the other then hears: the chain of messages ends. A plugin does not hear what it has sent itself,
/// by an operation neither.
@Suite(.serialized, .timeLimit(.minutes(3))) struct MessageLoopTests {
    private static let first: Namespace = "urn:x-cast:com.example.quiz.a"

    /// Has every message that it hears sent once in each of the two namespaces, by an operation of the gateway, and tells what comes of it
    /// when that fails.
    private static let program = """
        import json, sys
        def out(line):
            print(json.dumps(line), flush=True)
        heard, calls = 0, set()
        for line in sys.stdin:
            m = json.loads(line)
            method, id, params = m.get("method"), m.get("id"), m.get("params", {})
            if method is None:
                if id in calls and "error" in m:
                    problem = m["error"].get("data") or {}
                    out({"jsonrpc": "2.0", "id": 9000 + id, "method": "gateway.emit", "params": {
                        "event": "looper.ended", "data": {"heard": heard, "code": problem.get("code")}}})
                continue
            result = {}
            if method == "initialize":
                result = {"protocol": 1, "plugin": {"id": "test.looper", "version": "1.0"}}
            elif method == "message":
                heard += 1
                own = params["message"]["namespace"]
                other = own[:-1] + ("b" if own.endswith("a") else "a")
                for place, namespace in enumerate([own, other]):
                    call = 100 + 2 * heard + place
                    calls.add(call)
                    out({"jsonrpc": "2.0", "id": call, "method": "gateway.call", "params": {
                        "operation": "message.send", "input": {
                            "device": params["message"]["device"], "namespace": namespace,
                            "json": {"type": "AGAIN", "number": heard}}}})
                result = {"disposition": "handled"}
            if id is not None:
                out({"jsonrpc": "2.0", "id": id, "result": result})
            if method == "shutdown":
                break
        """

    private static let manifest = """
        manifest: 1
        id: test.looper
        version: 1.0.0
        exec: [python3, -u, looper.py]
        claims: [{match: "urn:x-cast:com.example.*", phase: handle, directions: [to_receiver]}]
        needs: {events: ["looper.*"], operations: ["message.send"], scopes: [messages]}
        """

    private static func file(_ folder: TemporaryFolder) -> String {
        """
        version: 1
        gateway: {state_directory: \(folder.file("state"))}
        discovery: {mdns: {enabled: false}}
        virtual_devices:
          - name: hall
            listen: "127.0.0.1:0"
            publish: false
            target: local
            apps:
              ABCD1234: {name: Quiz, namespaces: ["urn:x-cast:com.example.quiz.a", "urn:x-cast:com.example.quiz.b"]}
        plugins:
          directory: \(folder.file("plugins"))
          instances:
        \(["a", "b"].map(Self.instance).joined(separator: "\n"))
        """
    }

    private static func instance(_ name: String) -> String {
        """
            - name: looper-\(name)
              plugin: test.looper
              start_timeout: 60s
              grant:
                namespaces: [{match: "urn:x-cast:com.example.quiz.\(name)", phase: handle, directions: [to_receiver]}]
                events: ["looper.*"]
                operations: ["message.send"]
                scopes: [messages]
        """
    }

    @Test func messagesThatFollowFromOneAnotherThroughOperationsEnd() async throws {
        try await TemporaryFolder.with { folder in
            for name in ["state", "plugins/test.looper"] {
                try FileManager.default.createDirectory(
                    atPath: folder.file(name), withIntermediateDirectories: true)
            }
            try folder.write(Self.program, to: "plugins/test.looper/looper.py")
            try folder.write(Self.manifest, to: "plugins/test.looper/plugin.yaml")
            try folder.write(Self.file(folder), to: "gateway.yaml")
            let path = folder.file("gateway.yaml")
            let source = ConfigurationSource { GatewayConfiguration.load(path: path, environment: [:]) }
            let result = source.load()
            let configuration = try #require(result.configuration, "\(result.report.text())")
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(
                    configuration: configuration, document: result.document, source: source,
                    makeLogger: { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } })
            }
            try await RunningGateway.with(gateway) { running in
                let bench = OperationBench(running)
                let ends = running.gateway.events.subscribe {
                    if case .custom("looper.ended", _) = $0 { true } else { false }
                }
                _ = try await bench.answer("session.start", ["device": "hall", "app": "ABCD1234"])
                _ = try await bench.answer(
                    "message.send",
                    ["device": "hall", "namespace": .string(Self.first.rawValue), "json": ["type": "BEGIN"]])
                var end: JSONObject?
                for await case .custom(_, let data) in ends.events {
                    end = data.objectValue
                    break
                }
                #expect(end?.string("code") == "message_loop")
                // Each hears every other message, and none of its own.
                #expect(end?.int("heard") == MessageOrigin.maximumHops / 2)
            }
        }
    }
}
