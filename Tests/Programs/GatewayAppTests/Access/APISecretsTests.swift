import CastDiscovery
import CastIdentity
import CastWire
import CastwayTestSupport
import FeatureContract
import Foundation
import GatewayConfig
import GatewayFixtures
import GatewayMetrics
import GatewayOperations
import Testing

@testable import GatewayApp
@testable import GatewaySettings

/// Tokens are planted everywhere, and looked for in all that leaves the gateway.
@Suite(.timeLimit(.minutes(2))) struct APISecretsTests {
    /// Makes a join code that is redeemed by the page and one that is not; what of both no other answer may have: digits, what the links
    /// end in, and the guest's token.
    private static func join(_ api: APIBench) async throws -> [String] {
        let operations = api.running.gateway.operations
        let page = APIBench(
            running: api.running, recorder: api.recorder, port: try #require(api.running.gateway.joinPort), tls: nil)
        var secrets: [String] = []
        for _ in 0..<2 {
            let made = try await operations.call(
                "join_code.create", ["devices": ["lobby"], "scopes": ["read"]], for: .admin
            ).get().body
            secrets.append(try #require(made.string("code")))
            secrets.append(String(try #require(made.string("link")?.split(separator: "/").last)))
        }
        _ = try await page.ask("GET /j/\(secrets[1])")
        let welcome = try await page.ask(
            "POST /", headers: ["Content-Type: application/x-www-form-urlencoded"], body: "code=\(secrets[1])")
        let token = try #require(welcome.description.firstMatch(of: /cwt_[A-Za-z0-9_-]+/))
        return secrets + [String(token.output)]
    }

    @Test func noSecretLeavesTheGateway() async throws {
        let folder = try TemporaryFolder()
        let inText = "planted-in-text-0123456789abcdef"
        let inFile = "planted-in-file-0123456789abcdef"
        let credentials = "planted-credentials"
        let webhookSecrets = ["d2ViaG9vay1zZWNyZXQtaW4tdGhlLWZpbGU0NTY3", "d2ViaG9vay1zZWNyZXQtb2YtYmVmb3JlNDU2Nzg5"]
        let brokerPassword = "planted-broker-password"
        let query = "planted-in-the-query"
        try folder.write(brokerPassword + "\n", to: "broker")
        let passwordFile = folder.file("broker")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: passwordFile)
        let tokenFile = try folder.write(inFile + "\n", to: "ci.token")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tokenFile)
        let path = try folder.write(
            """
            version: 1
            gateway: {state_directory: state}
            discovery: {mdns: {enabled: false}}
            launch: {credentials: {CC1AD845: {credentials: \(credentials)}}}
            api:
              listen: 127.0.0.1:0
              join: {listen: "127.0.0.1:0"}
              tokens:
                - {name: text, token: \(inText), scopes: [read, control, messages, credentials, admin]}
                - {name: file, token_file: ci.token}
            bridges:
              webhooks:
                - name: backend
                  url: "http://127.0.0.1:9/cast?token=\(query)"
                  secret: "whsec_\(webhookSecrets[0]) whsec_\(webhookSecrets[1])"
                  allow_private: true
                  allow_http: true
                  events: ["sender.*", "config.*", "plugin.*", "virtual_device.*"]
              mqtt: {url: "mqtt://127.0.0.1:9", username: castway, password_file: broker}
            channels:
              - {namespace: "urn:x-cast:com.example.chat", deliver: [{webhook: backend}, {mqtt: true}]}
            virtual_devices:
              - {name: lobby, listen: "127.0.0.1:0", target: local}

            """, to: "gateway.yaml")
        let result = GatewayConfiguration.load(path: path, environment: [:])
        let configuration = try #require(result.configuration, "\(result.report.text())")
        let recorder = LogRecorder()
        let gateway = try await RunningGateway.sharingKeys {
            try await Gateway(
                configuration: configuration, document: result.document,
                source: ConfigurationSource { GatewayConfiguration.load(path: path, environment: [:]) },
                makeLogger: { recorder.logger($0) }, network: AbsentNetwork())
        }
        var said: [String] = [result.report.text(), result.document.effectiveJSON.text]
        var made = ""
        var joining: [String] = []
        try await RunningGateway.with(gateway) { running in
            let api = APIBench(running: running, recorder: recorder, port: try #require(gateway.apiPort), tls: nil)
            let answer = try await api.ask(
                "POST /api/v1/tokens", token: inText, headers: ["Content-Type: application/json"],
                body: #"{"name":"made","scopes":["read","admin"]}"#)
            #expect(answer.status == 201, "\(answer)")
            made = try #require(answer.json.string("token"))
            for declaration in BuiltInOperations.all where declaration.route.method == .get {
                for token in [inText, inFile, made] {
                    said.append(
                        try await api.ask("GET \(OperationRoute.prefix)\(declaration.route.path)", token: token)
                            .description)
                }
            }
            // What is wrong with a request says nothing of it.
            for token in [inText, inFile, made] {
                said.append(try await api.ask("GET /\(token)x").description.replacing(token, with: ""))
                said.append(try await api.ask("GET /api/v1/gateway?token=\(token)", token: token).description)
                said.append(try await api.ask("GET /api/v1/gateway", token: token + "x").description)
                said.append(
                    try await api.ask(
                        "POST /api/v1/tokens", token: token, headers: ["Content-Type: application/json"],
                        body: "{\(token)"
                    ).description)
            }
            joining = try await Self.join(api)
            for line in ["GET /api/v1/join-codes", "GET /api/v1/guests", "GET /api/v1/tokens"] {
                said.append(try await api.ask(line, token: inText).description)
            }
            // A test of the channel says what a request to the back end comes to.
            said.append(
                try await api.ask(
                    "POST /api/v1/channels/test", token: inText, headers: ["Content-Type: application/json"],
                    body: #"{"namespace":"urn:x-cast:com.example.chat"}"#
                ).description)
            said.append(await gateway.context.metrics.text(.openMetrics))
            _ = await gateway.reload()
        }
        let backup = folder.file("backup.db")
        _ = try StateBackup.make(of: folder.file("state"), to: backup, root: .generatedRoot)
        for file in [
            "state/castway.db", "state/castway.db-wal", "state/castway.state", "state/outbox.db", "state/outbox.db-wal",
            "backup.db",
        ] {
            if let text = try? folder.read(file) { said.append(text) }
        }
        said += recorder.entries.map { "\($0.message) \($0.metadata)" }
        #expect(said.count > 60)
        // The address of a back end stands in the configuration; its query is for the back end alone.
        let logged = recorder.entries.map { "\($0.message) \($0.metadata)" }.filter { $0.contains(query) }
        #expect(logged.isEmpty, "\(logged)")
        #expect(joining.count == 5)
        for secret in [inText, inFile, made, credentials, brokerPassword] + webhookSecrets + joining {
            let found = said.filter { $0.contains(secret) }
            #expect(found.isEmpty, "\(secret): \(found)")
        }
        withExtendedLifetime(folder) {}
    }
}
