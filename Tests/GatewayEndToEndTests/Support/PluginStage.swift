import CastWire
import CastwayTestSupport
import FeatureContract
import Foundation
import GatewayApp
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import Logging
import Testing

/// A gateway that was started from a file, with a plugin in Python that tells its version and its configuration.
struct PluginStage {
    static let namespace: Namespace = "urn:x-cast:test.teller"

    let running: RunningGateway
    let folder: TemporaryFolder

    private static let program = """
        import json, os, sys
        config = {}
        fault = "FAULT"
        if fault == "exits":
            sys.exit("no such thing here")
        for line in sys.stdin:
            m = json.loads(line)
            method, id, params = m.get("method"), m.get("id"), m.get("params", {})
            result = {}
            if fault == "silent" and method == "initialize" or fault == "hangs" and method == "start":
                continue
            if fault == "crashes" and method == "start":
                os.abort()
            if fault == "needy" and method == "initialize" and not params["grant"].get("storage"):
                error = {"code": -32010, "message": "grant.storage is needed"}
                print(json.dumps({"jsonrpc": "2.0", "id": id, "error": error}), flush=True)
                continue
            if method in ("initialize", "reload"):
                if params["config"].get("mood") == "bad":
                    error = {"code": -32010, "message": "invalid configuration",
                             "data": {"errors": [{"path": "/mood", "message": "must be good", "suggestion": "good"}]}}
                    print(json.dumps({"jsonrpc": "2.0", "id": id, "error": error}), flush=True)
                    continue
                config = params["config"]
                if method == "initialize":
                    result = {"protocol": 1, "plugin": {"id": "test.teller", "version": "VERSION"}}
            elif method == "message":
                result = {"disposition": "reply",
                          "payload": {"version": "VERSION", "mood": config.get("mood"), "pid": os.getpid()}}
            if id is not None:
                print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
            if method == "shutdown":
                break
        """

    private static func manifest(_ version: String, claims: String = "urn:x-cast:test.teller") -> String {
        """
        manifest: 1
        id: test.teller
        version: \(version)
        exec: [python3, -u, teller.py]
        claims: [{match: "\(claims)", phase: handle}]
        needs: {storage: 1MiB}
        """
    }

    private static func file(_ folder: TemporaryFolder, _ instances: String) -> String {
        """
        version: 1
        gateway: {state_directory: \(folder.file("state"))}
        discovery: {mdns: {enabled: false}}
        virtual_devices:
          - {name: hall, listen: "127.0.0.1:0", publish: false, target: local}
        plugins:
          directory: \(folder.file("plugins"))
          instances:\(instances.isEmpty ? " []" : "\n" + instances)
        """
    }

    /// An instance in the file. A busy machine may take its time to answer a message; no test waits for a plugin that does not.
    static func instance(_ more: String = "config: {mood: good}") -> String {
        """
            - name: teller
              plugin: test.teller
              grant: {namespaces: [{match: "urn:x-cast:test.teller", phase: handle, on_failure: closed, deadline: 10s}]}
              \(more)
        """
    }

    /// Runs a gateway with the plugin in it while the body does.
    static func run(
        _ instances: String = instance(),
        makeLogger: @escaping @Sendable (String) -> Logger = { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } },
        _ body: (PluginStage) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            for name in ["state", "plugins/test.teller"] {
                try FileManager.default.createDirectory(
                    atPath: folder.file(name), withIntermediateDirectories: true)
            }
            try Self.install("1.0", in: folder)
            try folder.write(Self.file(folder, instances), to: "gateway.yaml")
            let path = folder.file("gateway.yaml")
            let source = ConfigurationSource { GatewayConfiguration.load(path: path, environment: [:]) }
            let result = source.load()
            let configuration = try #require(result.configuration, "\(result.report.text())")
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(
                    configuration: configuration, document: result.document, source: source,
                    makeLogger: makeLogger)
            }
            try await RunningGateway.with(gateway) { try await body(PluginStage(running: $0, folder: folder)) }
        }
    }

    private static func install(_ version: String, fault: PluginFault? = nil, in folder: TemporaryFolder) throws {
        let manifest =
            switch fault {
            case .brokenManifest: "manifest: 1\nid: test.teller\nversion: [\n"
            case .otherClaims: Self.manifest(version, claims: "urn:x-cast:test.other")
            default: Self.manifest(version)
            }
        try folder.write(manifest, to: "plugins/test.teller/plugin.yaml")
        let program = Self.program.replacing("VERSION", with: version).replacing("FAULT", with: fault?.rawValue ?? "")
        try folder.write(program, to: "plugins/test.teller/teller.py")
    }

    /// Puts another version of the plugin into its folder.
    func install(_ version: String, fault: PluginFault? = nil) throws {
        try Self.install(version, fault: fault, in: self.folder)
    }

    /// Writes the file anew and reloads it.
    func reload(_ instances: String) async throws -> ReloadOutcome {
        try self.folder.write(Self.file(self.folder, instances), to: "gateway.yaml")
        return await self.running.gateway.reload()
    }
}

extension TestSender {
    /// Launches an app and connects to it; returns where it is.
    func launch() async throws -> EndpointID {
        _ = try await self.connectPlatform()
        try await self.send(["type": "LAUNCH", "requestId": 2, "appId": "CC1AD845"], in: .receiver)
        let status = ReceiverStatus(json: try #require(try await self.answer(to: 2)?.object("status")))
        let transport = try #require(status.applications.first?.transportID)
        try await self.send(["type": "CONNECT"], in: .connection, to: transport)
        return transport
    }

    /// Asks the plugin what it is.
    func tell(_ requestID: Int, at transport: EndpointID) async throws -> JSONObject {
        try await self.send(
            ["type": "TELL", "requestId": .number(requestID)], in: PluginStage.namespace, to: transport)
        return try #require(try await self.answer(to: requestID))
    }
}
