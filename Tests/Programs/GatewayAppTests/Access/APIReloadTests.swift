import CastIdentity
import CastTransport
import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayOperations
import HTTPServing
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import CallerAccess
@testable import ControlAPI

/// What a reload does to listeners, certificates and tokens between its steps.
@Suite(.timeLimit(.minutes(1))) struct APIReloadTests {
    private let folder: TemporaryFolder
    private let logger = LogRecorder().logger("API")

    init() throws { self.folder = try TemporaryFolder() }

    private func certificates() throws -> APICertificates {
        APICertificates(
            identities: try IdentityStore.open(stateDirectory: self.folder.path), wallClock: { 2_000_000_000 },
            logger: self.logger)
    }

    private struct NoCallers: CallerAuthority {
        func caller(showing credentials: CallerCredentials) throws(OperationProblem) -> Caller {
            throw OperationProblem("unauthorized", status: 401, "")
        }
        func watch(_ caller: Caller, whenOver callback: @escaping @Sendable (String) -> Void) -> CallerWatch {
            CallerWatch {}
        }
    }

    /// A connection to the new address that was accepted before the reload is in force has the new TLS.
    @Test func aListenerThatIsPreparedGoesByTheNewSettings() async throws {
        var plain = APIConfiguration()
        plain.listen = ListenAddress(host: "127.0.0.1", port: 0)
        var secure = APIConfiguration()
        secure.listen = ListenAddress(host: "127.0.0.2", port: 0)
        secure.tls = .automatic
        let made = try #require(try self.certificates().make(secure))
        let connections = ConnectionLimits(total: 10, perAddress: 10)
        let listening = Inbox<Bool>()
        let server = APIServer(
            APIServer.Settings(plain, certificate: nil), logger: self.logger, onListening: { listening.put(true) })
        let running = server.serving(
            OperationCatalogue([]), authority: NoCallers(),
            admission: Admission(senders: connections, setup: connections, admin: connections, api: connections),
            audit: nil, on: { MultiThreadedEventLoopGroup.singleton })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await running.run() }
            _ = await listening.next()
            let replacement = try await server.prepare(APIServer.Settings(secure, certificate: made.context))
            let port = try #require(replacement.listener?.port)
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.2", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: APIBench.request("GET /api/v1/gateway")))
                var said = ByteBuffer()
                do {
                    // The gateway ends it by itself, as TLS that was broken off.
                    for try await var piece in inbound { said.writeBuffer(&piece) }
                } catch {
                    // A reset is an end too.
                }
                #expect(!String(buffer: said).contains("HTTP/1.1"))
            }
            await server.commit(replacement)
            #expect(server.port == port && server.certificate == made.context.leaf)
            group.cancelAll()
        }
    }

    /// Files count as served only when the reload that read them is in force.
    @Test func aCertificateOfAReloadThatFailsIsReadAgain() throws {
        let identities = try IdentityStore.open(stateDirectory: self.folder.path)
        let certificates = APICertificates(
            identities: identities, wallClock: { 2_000_000_000 }, logger: self.logger)
        let names = ServerNames(names: ["localhost"], addresses: [])
        let made = try identities.serverCertificate(for: names, now: 2_000_000_000)
        let certificate = try self.folder.write(Self.pem("CERTIFICATE", made.certificate), to: "api.crt")
        let key = try self.folder.write(Self.pem("PRIVATE KEY", made.privateKey), to: "api.key")
        var api = APIConfiguration()
        api.listen = ListenAddress(host: "127.0.0.1", port: 0)
        api.tls = .files(certificate: certificate, privateKey: key)
        #expect(certificates.filesHaveChanged(api))
        let prepared = try certificates.make(api)
        #expect(certificates.filesHaveChanged(api))
        certificates.served(prepared)
        #expect(!certificates.filesHaveChanged(api))
    }

    /// A token of the file that is replaced between the request and the watch.
    @Test func theHolderOfAReplacedTokenIsNotWatchedAsItsSuccessor() async throws {
        let identities = try IdentityStore.open(stateDirectory: self.folder.path)
        let authority = try TokenAuthority(
            store: try TokenStore(identities.database), configured: [Self.token("first")],
            audit: AuditLog(self.logger), eventLoop: NIOAsyncTestingEventLoop(), wallClock: { 1_000_000 },
            keepUse: { _, _ in })
        let holder = try authority.caller(showing: CallerCredentials(token: Self.text("first"), address: "192.0.2.7"))
        authority.follow([Self.token("second")])
        let ends = Inbox<String>()
        _ = authority.watch(holder) { ends.put($0) }
        ends.put("watched")
        #expect(await ends.next() != "watched")
        let successor = try authority.caller(
            showing: CallerCredentials(token: Self.text("second"), address: "192.0.2.7"))
        #expect(successor != holder && successor.token == holder.token)
    }

    private static func pem(_ label: String, _ der: [UInt8]) -> String {
        let lines = Data(der).base64EncodedString(options: .lineLength64Characters)
        return "-----BEGIN \(label)-----\n\(lines)\n-----END \(label)-----\n"
    }

    private static func text(_ name: String) -> String { "\(name)-0123456789abcdef0123456789abcdef" }

    private static func token(_ name: String) -> APITokenConfiguration {
        APITokenConfiguration(name: "panel", token: Secret(self.text(name)))
    }
}
