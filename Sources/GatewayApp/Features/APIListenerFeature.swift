import CastIdentity
import CastTransport
import ControlAPI
import GatewayConfig
import GatewayJournal
import GatewayOperations
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// The API listener: programs of the network reach the operations of all features there.
///
/// Its connections have event loops of their own, so that none of theirs ever waits in a relay. What else it offers than operations
/// is a line in ``routes``.
final class APIListenerFeature: GatewayFeature {
    let name = "API listener"
    private let context: GatewayContext
    private let identities: IdentityStore
    private let authority: any CallerAuthority
    private let events: any EventSource
    private let admission: Admission
    private let logger: Logger
    private let loops = APIEventLoops()
    private let certificates: APICertificates
    private let settings: APIServer.Settings
    private let server = Mutex<APIServer?>(nil)
    /// Open once it listens.
    private let gate = ReadyGate()

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
        self.identities = identities
        self.authority = authority
        self.events = events
        self.admission = admission
        self.logger = context.makeLogger("API")
        let certificates = APICertificates(identities: identities, wallClock: context.wallClock, logger: self.logger)
        self.certificates = certificates
        let configuration = context.configuration.current.api
        let made = try await NIOThreadPool.singleton.runIfActive { try certificates.make(configuration) }
        certificates.served(made)
        self.settings = APIServer.Settings(configuration, certificate: made?.context)
    }

    /// What is offered beside the operations.
    private func routes(_ catalogue: OperationCatalogue, _ features: [any GatewayFeature]) -> [any APIRoutes] {
        let pictures = features.lazy.compactMap { $0 as? PicturesFeature }.first
        return (pictures.map { [$0.routes] } ?? []) + [
            DocumentRoutes(
                catalogue, AsyncAPIDocument(EventCatalogue.all, version: self.context.version),
                authority: self.authority,
                document: { [version = self.context.version] in
                    OpenAPIDocument($0, version: version, takesTokens: true)
                })
        ]
    }

    /// Where it listens; nil while it does not.
    var port: Int? { self.server.withLock { $0 }?.port }

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        let catalogue = GatewayFeatures.catalogue(of: features, context: self.context)
        let loops = self.loops
        let server = APIServer(
            self.settings, catalogue: catalogue, events: self.events, routes: self.routes(catalogue, features),
            authority: self.authority, admission: self.admission, audit: self.context.audit,
            metrics: self.context.metrics, on: { loops.group },
            logger: self.logger, onListening: { [gate] in gate.open() })
        self.server.withLock { $0 = server }
        self.certificates.tell(self.context.configuration.current.api, certificate: self.settings.certificate)
        let renewal = APICertificateRenewal(
            certificates: self.certificates, context: self.context, served: { server.certificate },
            serve: { server.replace(certificate: $0) })
        return [StagedService(.alone, server), StagedService(.alone, renewal)]
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
        guard let server = self.server.withLock({ $0 }) else { return nil }
        let (certificates, api, old) = (self.certificates, change.new.api, change.old.api)
        let made = try await NIOThreadPool.singleton.runIfActive { try certificates.make(api) }
        let replacement = try await server.prepare(APIServer.Settings(api, certificate: made?.context))
        return PreparedChange(
            commit: {
                await server.commit(replacement)
                certificates.served(made)
                if api != old { certificates.tell(api, certificate: made?.context) }
            },
            undo: { await server.undo(replacement) })
    }

    func close() async {
        await self.loops.close()
    }
}

/// The event loops of the API's connections, made when it listens for the first time.
private final class APIEventLoops: Sendable {
    private let made = Mutex<MultiThreadedEventLoopGroup?>(nil)

    var group: any EventLoopGroup {
        self.made.withLock { made in
            let group = made ?? MultiThreadedEventLoopGroup(numberOfThreads: max(1, System.coreCount / 2))
            made = group
            return group
        }
    }

    func close() async {
        // Nothing uses them any more; that they end is all that could fail.
        try? await self.made.withLock { $0 }?.shutdownGracefully()
    }
}
