import CastIdentity
import CastTransport
import ControlAPI
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayJournal
import GatewayOperations
import GatewaySettings
import Logging
import NIOPosix
import ServiceLifecycle
import SystemPrimitives

/// The API listener: programs of the network reach the operations of all features there.
///
/// What else it offers than operations is a line in ``routes``.
final class APIListenerFeature: GatewayFeature {
    let name = "API listener"
    private let context: GatewayContext
    private let authority: any CallerAuthority
    private let events: any EventSource
    private let admission: Admission
    private let certificates: APICertificates
    private let server: APIServer
    /// Open once it listens.
    private let gate = Latch()

    /// Makes the certificate, where `api.tls` wants one.
    /// - Parameters:
    ///   - authority: tells who a caller is.
    ///   - events: what callers can follow.
    ///   - admission: counts connections over all listeners.
    /// - Throws: `IdentityError`, or what is wrong with the files.
    init(
        _ context: GatewayContext, identities: IdentityStore, authority: any CallerAuthority, events: any EventSource,
        admission: Admission
    ) async throws {
        self.context = context
        self.authority = authority
        self.events = events
        self.admission = admission
        let logger = context.makeLogger("API")
        let certificates = APICertificates(identities: identities, wallClock: context.wallClock, logger: logger)
        self.certificates = certificates
        let configuration = context.configuration.current.api
        let made = try await NIOThreadPool.singleton.runIfActive { try certificates.make(configuration) }
        certificates.served(made)
        self.server = APIServer(
            APIServer.Settings(configuration, certificate: made?.context), logger: logger,
            onListening: { [gate] in gate.open() })
    }

    /// What is offered beside the operations.
    private func routes(_ catalogue: OperationCatalogue, _ features: [any GatewayFeature]) -> [any APIRoutes] {
        features.flatMap(\.routes) + [
            DocumentRoutes(
                catalogue, AsyncAPIDocument(EventCatalogue.all, version: self.context.version),
                authority: self.authority,
                document: { [version = self.context.version] in
                    OpenAPIDocument($0, version: version, takesTokens: true)
                })
        ]
    }

    /// Where it listens; nil while it does not.
    var port: Int? { self.server.port }

    func services(among features: [any GatewayFeature], serving operations: OperationCatalogue) -> [StagedService] {
        let server = self.server
        let running = server.serving(
            operations, events: self.events, routes: self.routes(operations, features), authority: self.authority,
            admission: self.admission, audit: self.context.audit, metrics: self.context.metrics,
            on: self.context.controlLoops.group)
        self.certificates.tell(self.context.configuration.current.api, certificate: server.certificate)
        let renewal = APICertificateRenewal(
            self.certificates, clock: self.context.events.clock,
            configuration: { [configuration = self.context.configuration] in configuration.current.api },
            served: { server.certificate }, serve: { server.replace(certificate: $0) })
        return [StagedService(.alone, running), StagedService(.alone, renewal)]
    }

    func whenReady(_ callback: @escaping @Sendable () -> Void) {
        self.gate.whenOpen(callback)
    }

    // MARK: Reloads

    func plan(_ change: inout ConfigurationChange) {
        guard change.old.api.tls == change.new.api.tls, self.certificates.filesHaveChanged(change.new.api) else {
            return
        }
        change.plan.add("api.tls", .newConnections, note: "a file has changed")
    }

    func prepare(_ change: inout ConfigurationChange) async throws -> PreparedChange? {
        let (server, certificates) = (self.server, self.certificates)
        let (api, old) = (change.new.api, change.old.api)
        let made = try await NIOThreadPool.singleton.runIfActive { try certificates.make(api) }
        let replacement = try await server.prepare(APIServer.Settings(api, certificate: made?.context))
        return PreparedChange(
            commit: {
                await server.commit(replacement)
                certificates.served(made)
                if api != old { certificates.tell(api, certificate: server.certificate) }
            },
            undo: { await server.undo(replacement) })
    }
}
