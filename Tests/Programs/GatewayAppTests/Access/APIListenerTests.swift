import CastIdentity
import CastWire
import CastwayTestSupport
import ControlAPI
import GatewayConfig
import GatewayFixtures
import GatewayOperations
import GatewaySettings
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import FeatureContract
@testable import GatewayApp

/// Where the API listens, its TLS, and what a reload does to both.
@Suite(.timeLimit(.minutes(2))) struct APIListenerTests {
    @Test func callersWhoTrustTheRootReachItOverTLS() async throws {
        try await APIBench.with(tls: true) { api in
            let answer = try await api.ask("GET /api/v1/gateway", token: APIBench.reader)
            #expect(answer.status == 200, "\(answer)")
            let line = try #require(api.recorder.entries.first { $0.message == "TLS of the API" })
            let fingerprint = "\(try #require(line.metadata["sha256"]))"
            #expect(fingerprint.split(separator: ":").count == 32)
        }
    }

    @Test func plainHTTPToTLSIsNotAnswered() async throws {
        try await APIBench.with(tls: true) { api in
            let answer = try await api.send(
                APIBench.request("GET /api/v1/gateway", token: APIBench.reader), plain: true)
            #expect(answer.statuses.isEmpty, "\(answer)")
        }
    }

    @Test func theCertificateStaysTheSameAndFollowsTheNames() throws {
        let folder = try TemporaryFolder()
        let store = try IdentityStore.open(stateDirectory: folder.path)
        let names = ServerNames(
            names: ["localhost", "Castway.Example.com", "bad name"], addresses: ["127.0.0.1", "::1"])
        let first = try store.serverCertificate(for: names, now: 2_000_000_000)
        #expect(names.names == ["castway.example.com", "localhost"])
        #expect(try store.serverCertificate(for: names, now: 2_000_000_000 + 86_400) == first)
        let other = try store.serverCertificate(
            for: ServerNames(names: ["localhost"], addresses: []), now: 2_000_000_000)
        #expect(other.fingerprint != first.fingerprint)
        // Thirty days before its end it is another one.
        let late = try store.serverCertificate(
            for: ServerNames(names: ["localhost"], addresses: []), now: other.notAfter - 29 * 86_400)
        #expect(late.fingerprint != other.fingerprint)
        try store.close()
    }

    /// Connections that stand are served until they end, whatever becomes of the address.
    @Test func areloadMovesTheListenerAndDropsNoAnswer() async throws {
        try await APIBench.with(tokens: APIBench.tokens) { api in
            let gateway = api.running.gateway
            let ask = APIBench.request("GET /api/v1/gateway", token: APIBench.reader, isLast: false)
            let channel = try await api.connect()
            try await channel.executeThenClose { inbound, outbound in
                var conversation = APIConversation(inbound, outbound)
                let status1 = try await conversation.ask(ask)?.status
                #expect(status1 == 200)
                // Tokens and limits are in force at once, and the connection stays.
                var configuration = gateway.configuration
                configuration.api.tokens.removeAll { $0.name == "reader" }
                #expect(await gateway.reload(to: configuration).isSuccess)
                let status2 = try await conversation.ask(ask)?.status
                #expect(status2 == 401)
                configuration.api.tokens = APIBench.tokens
                #expect(await gateway.reload(to: configuration).isSuccess)
                let status3 = try await conversation.ask(ask)?.status
                #expect(status3 == 200)
            }
            // Another address with the same port, which is part of the old one.
            var configuration = gateway.configuration
            configuration.api.listen = ListenAddress(host: "0.0.0.0", port: api.port)
            configuration.api.allowsPlaintext = true
            #expect(await gateway.reload(to: configuration).isSuccess)
            #expect(gateway.apiPort == api.port)
            #expect(try await api.ask("GET /api/v1/gateway", token: APIBench.reader).status == 200)
            // TLS comes with the next connection.
            configuration.api.tls = .automatic
            #expect(await gateway.reload(to: configuration).isSuccess)
            #expect(
                try await api.send(APIBench.request("GET /api/v1/gateway", token: APIBench.reader)).statuses.isEmpty)
            // And it can be turned off, and on again.
            configuration.api = APIConfiguration()
            #expect(await gateway.reload(to: configuration).isSuccess)
            #expect(gateway.apiPort == nil)
            configuration.api.listen = ListenAddress(host: "127.0.0.1", port: 0)
            #expect(await gateway.reload(to: configuration).isSuccess)
            #expect(gateway.apiPort != nil)
        }
    }

    @Test func anAddressThatIsTakenUndoesTheReload() async throws {
        try await APIBench.with { api in
            let taken = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.1", port: 0).get()
            var configuration = api.running.gateway.configuration
            configuration.api.listen = ListenAddress(host: "127.0.0.1", port: taken.localAddress?.port ?? 0)
            #expect(await api.running.gateway.reload(to: configuration).isSuccess == false)
            #expect(api.running.gateway.apiPort == api.port)
            #expect(try await api.ask("GET /api/v1/gateway", token: APIBench.reader).status == 200)
            try await taken.close()
        }
    }
}

extension ReloadOutcome {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
