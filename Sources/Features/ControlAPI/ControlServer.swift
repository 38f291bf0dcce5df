package import CastTransport
import GatewayConfig
import GatewayCore
package import GatewayJournal
package import GatewayOperations
import HTTPServing
package import Logging
package import NIOCore
import ServiceLifecycle

/// The admin listener: HTTP with JSON bodies, on a socket of the file system or on a loopback address.
///
/// It offers the operations of the catalogue at their routes, the WebSocket of ``SocketRoutes``, the events of ``EventStreamRoutes``,
/// and beside them what monitors ask (``ProbeRoutes``), what Prometheus reads (``MetricsRoutes``) and
/// `GET /api/v1/plugins/NAME/trace`: what is said on a plugin's wire, a JSON object a line, for as long as the caller reads.
package struct ControlServer: Service, CustomStringConvertible {
    /// Callers are this machine's own; a caller that keeps its connection may think for a while, and may load a long queue.
    private static let limits = HTTPLimits(idleTimeout: .seconds(60), maximumBodyBytes: 1 << 20)
    /// How long callers that are being answered have when the gateway ends.
    private static let farewell = TimeAmount.seconds(1)

    private let configuration: AdminConfiguration
    private let stateDirectory: String
    private let catalogue: OperationCatalogue
    private let probes: ControlProbes
    private let events: any EventSource
    private let version: String
    private let logger: Logger
    private let admission: Admission
    private let audit: (any AuditTrail)?
    private let group: @Sendable () -> any EventLoopGroup
    private let onListening: @Sendable (_ port: Int?) -> Void
    private let onSettled: @Sendable (_ place: ControlPlace) -> Void

    /// Describes the listener.
    /// - Parameters:
    ///   - stateDirectory: where the socket is made unless the configuration says otherwise.
    ///   - catalogue: what callers can have done.
    ///   - probes: what is told beside it.
    ///   - events: what callers can follow.
    ///   - version: the version of Castway, for documents.
    ///   - admission: counts connections over all listeners.
    ///   - audit: learns of requests that are refused.
    ///   - group: the event loops of its connections; asked for when it begins to listen.
    ///   - onListening: called once, with the port of a TCP listener.
    ///   - onSettled: called when it listens, or will not: from then on no other gateway can take the place.
    package init(
        configuration: AdminConfiguration, stateDirectory: String, catalogue: OperationCatalogue, probes: ControlProbes,
        version: String = "", events: any EventSource = NoEvents(), admission: Admission,
        audit: (any AuditTrail)? = nil, on group: @escaping @Sendable () -> any EventLoopGroup, logger: Logger,
        onListening: @escaping @Sendable (_ port: Int?) -> Void = { _ in },
        onSettled: @escaping @Sendable (_ place: ControlPlace) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.stateDirectory = stateDirectory
        self.catalogue = catalogue
        self.probes = probes
        self.events = events
        self.version = version
        self.admission = admission
        self.audit = audit
        self.group = group
        self.logger = logger
        self.onListening = onListening
        self.onSettled = onSettled
    }

    package var description: String { "admin listener" }

    /// Answers until graceful shutdown.
    /// - Throws: ``GatewayError`` with `listenFailed` when another gateway answers at the address, or it cannot be bound.
    package func run() async throws {
        switch self.configuration.listen {
        case .off:
            self.onSettled(.nowhere)
            try? await gracefulShutdown()
        case .tcp(let address):
            try await self.serve(
                at: .address(host: address.host, port: address.port), name: "\(address)", checksHost: true
            ) { port in
                self.logger.info("Admin listener ready", metadata: ["address": "\(address)"])
                self.onListening(port)
                self.onSettled(.tcp(ListenAddress(host: address.host, port: port ?? address.port)))
            }
        case .stateDirectory:
            let file = self.socketFile
            try file.removeStale()
            do {
                try await self.serve(on: file)
            } catch {
                // A state directory that takes no writing can still be worked from.
                self.logger.warning(
                    "No admin listener, since its socket cannot be made; SIGHUP reloads all the same",
                    metadata: ["reason": "\(error)"])
                self.onSettled(.nowhere)
                try? await gracefulShutdown()
            }
        case .socket:
            let file = self.socketFile
            try file.removeStale()
            try await self.serve(on: file)
        }
    }

    private var socketFile: SocketFile {
        SocketFile(path: self.configuration.listen.socketPath(stateDirectory: self.stateDirectory) ?? "")
    }

    private func serve(on file: SocketFile) async throws {
        let descriptor = try file.listen()
        let own = file.identity
        // Another gateway may have taken the place of one that was slow to end.
        defer { if let own, file.identity == own { file.remove() } }
        try await self.serve(at: .socket(descriptor: descriptor), name: file.path, checksHost: false) { _ in
            self.logger.info("Admin listener ready", metadata: ["socket": "\(file.path)"])
            self.onListening(nil)
            self.onSettled(.socket(file.path))
        }
    }

    private func serve(
        at place: HTTPListener.Place, name: String, checksHost: Bool, onListening: (_ port: Int?) -> Void
    ) async throws {
        let logger = self.logger.quiet
        let rules = HTTPListener.Rules(
            limits: { Self.limits },
            refused: { address, reason in
                self.logger.debug("Caller turned away", metadata: ["address": "\(address)", "reason": "\(reason)"])
            })
        let requestRules: @Sendable () -> RequestRules = { RequestRules(checksHost: checksHost) }
        let sockets = SocketRoutes(
            catalogue: self.catalogue, events: self.events, authority: AdminAuthority(),
            audit: self.audit, metrics: self.probes.metrics)
        let listener: HTTPListener
        do {
            listener = try await HTTPListener(
                at: place, kind: .admin, admission: self.admission, rules: rules, reserve: DescriptorReserve(),
                on: self.group(), logger: logger,
                upgrades: { sockets.decide($0, rules: requestRules()) },
                responder: APIResponder.make(
                    rules: requestRules, gate: CallerGate(identity: .all(.admin), rates: nil, audit: self.audit),
                    audit: self.audit,
                    routes: [
                        OperationRoutes(self.catalogue, maximumBody: { Self.limits.maximumBodyBytes }),
                        EventStreamRoutes(events: self.events, authority: AdminAuthority()), sockets,
                        ProbeRoutes(probes: self.probes), MetricsRoutes(metrics: self.probes.metrics),
                        PluginTraceRoutes(trace: self.probes.trace),
                        DocumentRoutes(
                            self.catalogue, AsyncAPIDocument(EventCatalogue.all, version: self.version), authority: nil,
                            document: { [version = self.version] in
                                OpenAPIDocument($0, version: version, takesTokens: false)
                            }),
                    ], metrics: self.probes.metrics, logger: logger))
        } catch {
            throw GatewayError(
                .listenFailed, "the admin listener cannot listen on \(name): \(TransportError.text(ofListening: error))"
            )
        }
        onListening(listener.port)
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await sockets.run() }
                await listener.run()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            listener.quiesce(within: Self.farewell)
        }
    }
}
