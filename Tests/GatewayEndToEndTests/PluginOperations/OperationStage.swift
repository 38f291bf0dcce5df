import CastWire
import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayFixtures
import GatewayOperations
import Logging
import Testing

@testable import FeatureContract
@testable import GatewayApp
@testable import GatewaySettings

/// A gateway with a plugin in Python, made with the kit that ships, whose operations do well and badly what the tests ask.
struct OperationStage {
    let running: RunningGateway
    let folder: TemporaryFolder

    private static let program = """
        import os, threading
        import castway

        class Asker(castway.Plugin):
            def __init__(self):
                self.aborted, self.waiting = [], []

            @castway.operation("echo")
            def echo(self, call):
                return {"text": call.input["text"], "times": call.input["times"], "caller": call.caller["name"]}

            @castway.operation("bad")
            def bad(self, call):
                how = call.input["how"]
                if how == "declared":
                    raise castway.OperationError("no_game", "nothing is played", hint="start one")
                if how == "undeclared":
                    raise castway.OperationError("no_such_code", "not in the manifest")
                if how == "exception":
                    raise ValueError("oops")
                if how == "form":
                    return {"text": 7}
                if how == "more":
                    return {"text": "a", "other": 1}
                if how == "big":
                    return {"text": "x" * 300000}
                if how == "list":
                    return [1]
                if how == "crash":
                    os._exit(3)
                return {"text": "well"}

            @castway.operation("deep")
            def deep(self, call):
                value = []
                for _ in range(40):
                    value = [value]
                return {"value": value}

            @castway.operation("slow")
            def slow(self, call):
                call.progress(0.5, "half of it")
                self.waiting.append(call)
                return castway.PENDING

            @castway.operation("late")
            def late(self, call):
                return castway.PENDING

            @castway.operation("finish")
            def finish(self, call):
                waiting, self.waiting = self.waiting, []
                for other in waiting:
                    if other.aborted:
                        self.aborted.append(other.request or "")
                    other.complete({"done": True})
                return {"count": len(waiting), "aborted": self.aborted}

            @castway.operation("where")
            def where(self, call):
                return {"device": call.input.get("device"), "devices": call.input.get("devices")}

            @castway.operation("relay")
            def relay(self, call):
                try:
                    return {"answer": self.gateway.call(call.input["operation"], call.input["input"])}
                except castway.GatewayError as error:
                    return {"answer": {"code": error.code, "problem": error.data, "message": error.message}}

        if __name__ == "__main__":
            castway.run(Asker)
        """

    private static let manifest = """
        manifest: 1
        id: test.asker
        version: 1.0.0
        exec: [python3, asker.py]
        operations:
          - name: echo
            summary: Says what it is told
            scope: read
            input:
              - {name: text, type: text, required: true, meaning: What to say, max_length: 20}
              - {name: times, type: integer, min: 1, max: 9, default: 2, meaning: How often}
              - {name: device, type: device, meaning: Where}
            result: What it was told
            answer:
              - {name: text, type: text, meaning: The text}
              - {name: times, type: integer, meaning: How often}
              - {name: caller, type: text, meaning: Who asked}
          - name: bad
            summary: Fails
            command: false
            input: [{name: how, type: text, required: true, meaning: In which way}]
            result: A text
            answer: [{name: text, type: text, meaning: The text}]
            problems: [{code: no_game, meaning: Nothing is played}]
          - {name: deep, summary: Nests, command: false, result: Something deep}
          - {name: slow, summary: Takes its time, result: Whether it is done, deadline: 60s}
          - {name: late, summary: Is never done, result: Nothing, deadline: 50ms}
          - {name: finish, summary: Ends what waits, command: false, result: How many there were}
          - name: where
            summary: Says of which devices it was told
            command: false
            input:
              - {name: device, type: device, meaning: One}
              - {name: devices, type: device, list: true, meaning: Several}
            result: What it was told
          - name: relay
            summary: Has an operation of the gateway done
            command: false
            input:
              - {name: operation, type: text, required: true, meaning: Which}
              - {name: input, type: json, default: {}, meaning: What it takes}
            result: Its answer
        needs: {operations: ["*"], scopes: [read, control, admin]}
        """

    /// The instance as it is granted everything but the scope `admin`.
    static let whole = "grant: {as: manifest, operations: [\"gateway.*\", \"config.*\", \"other.*\", \"asker.*\"]}"

    private static func file(_ folder: TemporaryFolder, _ instances: [(name: String, more: String)]) -> String {
        let list = instances.map { "    - {name: \($0.name), plugin: test.asker, start_timeout: 60s, \($0.more)}" }
        return """
            version: 1
            gateway: {state_directory: \(folder.file("state"))}
            discovery: {mdns: {enabled: false}}
            api: {listen: "127.0.0.1:0"}
            virtual_devices:
              - {name: hall, listen: "127.0.0.1:0", publish: false, target: local}
            plugins:
              directory: \(folder.file("plugins"))
              instances:
            \(list.joined(separator: "\n"))
            """
    }

    /// Runs a gateway with instances of the plugin while the body does.
    static func run(
        _ instances: [(name: String, more: String)] = [("asker", whole)], _ body: (OperationStage) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            for name in ["state", "plugins/test.asker"] {
                try FileManager.default.createDirectory(
                    atPath: folder.file(name), withIntermediateDirectories: true)
            }
            try folder.write(Self.program, to: "plugins/test.asker/asker.py")
            try folder.write(Self.manifest, to: "plugins/test.asker/plugin.yaml")
            try folder.write(Self.file(folder, instances), to: "gateway.yaml")
            let path = folder.file("gateway.yaml")
            let source = ConfigurationSource { GatewayConfiguration.load(path: path, environment: [:]) }
            let result = source.load()
            let configuration = try #require(result.configuration, "\(result.report.text())")
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(
                    configuration: configuration, document: result.document, source: source,
                    makeLogger: { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } })
            }
            try await RunningGateway.with(gateway) { try await body(OperationStage(running: $0, folder: folder)) }
        }
    }

    /// Writes the file anew and reloads it.
    func reload(_ instances: [(name: String, more: String)]) async throws -> ReloadOutcome {
        try self.folder.write(Self.file(self.folder, instances), to: "gateway.yaml")
        return await self.running.gateway.reload()
    }

    /// Has an operation done.
    func call(
        _ name: OperationName, _ input: JSONObject = [:], as caller: Caller = .admin, wait: Duration? = nil
    ) async -> OperationCatalogue.Outcome {
        var options = CallOptions()
        options.wait = wait
        return await self.running.gateway.operations.call(name, input, for: caller, options: options)
    }

    /// What an operation answers.
    func answer(_ name: OperationName, _ input: JSONObject = [:], as caller: Caller = .admin) async throws -> JSONObject
    {
        try await self.call(name, input, as: caller).get().body
    }

    /// The problem that an operation has.
    func problem(
        _ name: OperationName, _ input: JSONObject = [:], as caller: Caller = .admin
    ) async throws -> OperationProblem {
        switch await self.call(name, input, as: caller) {
        case .success(let answer): throw OperationBench.Unexpected(answer: JSONValue.object(answer.body).text)
        case .failure(let problem): return problem
        }
    }
}
