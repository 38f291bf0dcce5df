public import CastTransport
public import GatewayConfig
import GatewayCore
public import GatewayJournal
public import GatewayMetrics
public import GatewayOperations
import HTTPServing
public import Logging
public import NIOCore
public import ServiceLifecycle
import Synchronization

/// The API listener: the operations of the catalogue, and whatever else ``APIRoutes`` add, for callers of the network.
///
/// What it goes by changes while it runs: a new address is listened on before the old one is given up; everything else is looked up for
/// each connection or each request.
public final class APIServer: Service, CustomStringConvertible {
    /// What it goes by.
    public struct Settings: Sendable {
        /// Where it listens; nil for nowhere.
        public var address: ListenAddress?
        /// What TLS serves; nil for plain HTTP.
        public var certificate: TLSServerContext?
        /// The names that `Host` may have beside IP addresses and `localhost`.
        public var hosts: Set<String>
        /// The sites whose pages may ask.
        public var origins: Set<String>
        /// How much callers may ask.
        public var limits: APILimits
        /// How long a request may take from its first byte to its last, and how long a caller may read nothing of an answer.
        public var requestTimeout = TimeAmount.seconds(10)
        /// How long a connection may be without a request.
        public var idleTimeout = TimeAmount.seconds(60)

        /// Takes what a configuration says.
        /// - Parameter certificate: what its `tls` came to.
        public init(_ configuration: APIConfiguration, certificate: TLSServerContext?) {
            self.address = configuration.listen
            self.certificate = certificate
            self.hosts = configuration.allowedHosts
            self.origins = Set(configuration.origins)
            self.limits = configuration.limits
        }
    }

    /// A listener that takes over, or none.
    public struct Replacement: Sendable {
        let terms: ListenerTerms
        let listeners: ListenerSuccession.Replacement
        /// The one that listens on the new address; nil when the address stays, or there is none.
        var listener: HTTPListener? { self.listeners.listener }
    }

    /// Those of the listener in force.
    private let state: Mutex<ListenerTerms>
    private let succession = ListenerSuccession()
    private let rates: CallerRates
    private let routes: [any APIRoutes]
    private let sockets: SocketRoutes
    private let authority: any CallerAuthority
    private let admission: Admission
    private let audit: (any AuditTrail)?
    private let metrics: MetricsRegistry
    private let group: @Sendable () -> any EventLoopGroup
    private let logger: Logger
    private let onListening: @Sendable () -> Void

    /// Describes the listener.
    /// - Parameters:
    ///   - catalogue: what callers can have done.
    ///   - events: what callers can follow.
    ///   - routes: what is offered beside it.
    ///   - authority: tells who a caller is.
    ///   - admission: counts connections over all listeners.
    ///   - audit: learns of requests that are refused.
    ///   - metrics: where requests and sockets are counted.
    ///   - group: the event loops of its connections, which should be no others'; asked for whenever it begins to listen.
    ///   - onListening: called once, when it listens, or is not to listen for now.
    public init(
        _ settings: Settings, catalogue: OperationCatalogue, events: any EventSource = NoEvents(),
        routes: [any APIRoutes] = [], authority: any CallerAuthority, admission: Admission,
        audit: (any AuditTrail)?, metrics: MetricsRegistry = MetricsRegistry(),
        on group: @escaping @Sendable () -> any EventLoopGroup, logger: Logger,
        onListening: @escaping @Sendable () -> Void = {}
    ) {
        self.state = Mutex(ListenerTerms(settings))
        self.rates = CallerRates(perSecond: settings.limits.requestsPerSecond)
        self.onListening = onListening
        self.authority = authority
        self.admission = admission
        self.audit = audit
        self.metrics = metrics
        self.group = group
        self.logger = logger
        let body = BodyLimit(settings.limits.body)
        self.body = body
        self.sockets = SocketRoutes(
            catalogue: catalogue, events: events, authority: authority, rates: self.rates, audit: audit,
            metrics: metrics)
        self.routes =
            [
                OperationRoutes(catalogue, maximumBody: { body.current }),
                EventStreamRoutes(events: events, authority: authority), self.sockets,
            ] + routes
    }

    private let body: BodyLimit
    /// What the service is called in logs.
    public var description: String { "API listener" }

    /// The port that it listens on; nil while there is none.
    public var port: Int? { self.succession.port }

    /// The certificate that new connections get, DER; nil without TLS.
    public var certificate: [UInt8]? { self.terms.current.certificate?.leaf }

    private var terms: ListenerTerms { self.state.withLock { $0 } }

    // MARK: Running

    /// Answers until graceful shutdown.
    /// - Throws: ``GatewayError`` with `listenFailed` when the address cannot be bound.
    public func run() async throws {
        let terms = self.terms
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await self.sockets.run() }
            try await self.succession.run {
                guard let address = terms.current.address else { return nil }
                let listener = try await self.listen(on: address, terms, isShared: false)
                self.tell(listener, address)
                return listener
            } onListening: {
                self.onListening()
            }
            group.cancelAll()
        }
    }

    private func tell(_ listener: HTTPListener, _ address: ListenAddress) {
        let isSecure = self.terms.current.certificate != nil
        let place = ListenAddress(host: address.host, port: listener.port ?? address.port)
        self.logger.info(
            "API ready", metadata: ["address": "\(place)", "scheme": "\(isSecure ? "https" : "http")"])
    }

    private func listen(
        on address: ListenAddress, _ terms: ListenerTerms, isShared: Bool
    ) async throws -> HTTPListener {
        var quiet = self.logger
        quiet.logLevel = max(quiet.logLevel, .notice)
        let logger = self.logger
        let rules = HTTPListener.Rules(
            limits: { terms.http }, certificate: { terms.current.certificate },
            refused: { address, reason in
                logger.debug("Caller turned away", metadata: ["address": "\(address)", "reason": "\(reason)"])
            }, awaitsCaller: true)
        let sockets = self.sockets
        let gate = CallerGate(identity: .authority(self.authority), rates: self.rates, audit: self.audit)
        do {
            return try await HTTPListener(
                at: .address(host: address.host, port: address.port, sharesAddress: isShared), kind: .api,
                admission: self.admission, rules: rules, reserve: DescriptorReserve(), on: self.group(), logger: quiet,
                upgrades: { sockets.decide($0, rules: terms.rules, limits: terms.sockets) },
                responder: APIResponder.make(
                    rules: { terms.rules }, gate: gate, audit: self.audit, routes: self.routes,
                    metrics: self.metrics, logger: quiet))
        } catch {
            throw GatewayError(
                .listenFailed, "the API cannot listen on \(address): \(TransportError.text(ofListening: error))")
        }
    }

    // MARK: Reloads

    /// Listens on the new address, if it is another; nothing that runs changes.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    public func prepare(_ settings: Settings) async throws -> Replacement {
        let terms = ListenerTerms(settings)
        let listeners = try await self.succession.prepare(from: self.terms.current.address, to: settings.address) {
            try await self.listen(on: $0, terms, isShared: $1)
        }
        return Replacement(terms: terms, listeners: listeners)
    }

    /// Puts what was prepared in force, and gives the old address up.
    public func commit(_ replacement: Replacement) async {
        let settings = replacement.terms.current
        self.state.withLock { terms in
            if replacement.listeners.staysAtAddress { terms.set(settings) } else { terms = replacement.terms }
        }
        self.rates.limit(perSecond: settings.limits.requestsPerSecond)
        self.body.set(settings.limits.body)
        if let listener = replacement.listener, let address = settings.address { self.tell(listener, address) }
        await self.succession.commit(replacement.listeners)
    }

    /// Gives up what was prepared.
    public func undo(_ replacement: Replacement) async { await self.succession.undo(replacement.listeners) }

    /// Serves another certificate to new connections, when it has TLS.
    public func replace(certificate: TLSServerContext) { self.terms.replace(certificate: certificate) }
}

/// The most bytes of a body, as it is now.
private final class BodyLimit: Sendable {
    private let bytes: Atomic<Int>

    init(_ bytes: Int) { self.bytes = Atomic(bytes) }

    var current: Int { self.bytes.load(ordering: .relaxed) }

    func set(_ bytes: Int) { self.bytes.store(bytes, ordering: .relaxed) }
}
