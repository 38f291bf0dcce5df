public import CastTransport
public import GatewayConfig
import GatewayCore
public import GatewayMetrics
public import GatewayOperations
import HTTPServing
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

/// The listener of the join page (`api.join`): guests redeem codes there, and can do nothing else.
///
/// It is held to the limits of every listener: connections in all and of an address, rates, times, sizes; to `Host`, `Origin` and
/// `Sec-Fetch-Site`. A reload gives it another address or certificate while it runs.
public final class JoinPageServer: Service, CustomStringConvertible {
    /// The most connections at once, and of one address.
    public static let maximumConnections = 256
    /// The most connections of one address at once: a browser opens several.
    public static let maximumPerAddress = 16
    /// How many new connections, and how many requests, an address may make in a second.
    public static let perSecond = 10

    private static let limits = HTTPLimits(idleTimeout: .seconds(15), maximumBodyBytes: JoinForm.maximumBytes)

    /// What it goes by.
    public struct Settings: Sendable {
        /// Where it listens, and by which names it is reached.
        public var configuration: JoinPageConfiguration
        /// What TLS serves; nil for plain HTTP.
        public var certificate: TLSServerContext?

        /// Takes what a configuration says.
        /// - Parameter certificate: what its `tls` came to.
        public init(_ configuration: JoinPageConfiguration, certificate: TLSServerContext?) {
            self.configuration = configuration
            self.certificate = certificate
        }

        fileprivate var rules: RequestRules {
            RequestRules(
                isSecure: self.certificate != nil, hosts: self.configuration.allowedHosts, isForPeople: true,
                ownSites: Set([self.configuration.url].compactMap(\.self)))
        }
    }

    /// A listener that takes over, or none.
    public struct Replacement: Sendable {
        fileprivate let terms: Terms
        fileprivate let listeners: ListenerSuccession.Replacement
    }

    /// What one listener goes by, as it is now; one that takes over has its own from the start.
    fileprivate final class Terms: Sendable {
        private let settings: Mutex<Settings>

        init(_ settings: Settings) { self.settings = Mutex(settings) }

        var current: Settings { self.settings.withLock { $0 } }

        func set(_ settings: Settings) { self.settings.withLock { $0 = settings } }

        func replace(certificate: TLSServerContext) {
            self.settings.withLock { settings in
                if settings.certificate != nil { settings.certificate = certificate }
            }
        }
    }

    private let terms: Mutex<Terms>
    private let succession = ListenerSuccession()
    private let rates = CallerRates(perSecond: JoinPageServer.perSecond)
    private let routes: JoinPageRoutes
    private let admission: Admission
    private let audit: (any AuditTrail)?
    private let metrics: MetricsRegistry
    private let logger: Logger
    private let onListening: @Sendable () -> Void

    /// Describes the listener.
    /// - Parameters:
    ///   - gateway: what the gateway is called; asked for every request.
    ///   - reception: redeems codes.
    ///   - admission: counts connections over all listeners.
    ///   - audit: learns of requests that are refused.
    ///   - metrics: where requests are counted.
    ///   - onListening: called once, when it listens, or is not to listen for now.
    public init(
        _ settings: Settings, gateway: @escaping @Sendable () -> String, reception: any GuestReception,
        admission: Admission, audit: (any AuditTrail)?, metrics: MetricsRegistry, logger: Logger,
        onListening: @escaping @Sendable () -> Void = {}
    ) {
        self.terms = Mutex(Terms(settings))
        self.routes = JoinPageRoutes(gateway: gateway, reception: reception)
        self.admission = admission
        self.audit = audit
        self.metrics = metrics
        self.logger = logger
        self.onListening = onListening
    }

    /// What the service is called in logs.
    public var description: String { "join page" }

    /// The port that it listens on; nil while there is none.
    public var port: Int? { self.succession.port }

    /// The certificate that new connections get, DER; nil without TLS.
    public var certificate: [UInt8]? { self.current.current.certificate?.leaf }

    private var current: Terms { self.terms.withLock { $0 } }

    /// What stands before the secret in a link: `https://192.0.2.9:8481/j/`. Nil while there is no page.
    /// - Parameter machine: the addresses of the machine, for a page that listens on all of them.
    public func linkBase(on machine: MachineAddresses) -> String? {
        let settings = self.current.current
        guard let address = settings.configuration.listen, let port = self.port else { return nil }
        if let url = settings.configuration.url { return url + JoinPageRoutes.linkPrefix }
        let scheme = settings.certificate == nil ? "http" : "https"
        let host = settings.configuration.hosts.first ?? Self.host(of: address, on: machine)
        return "\(scheme)://\(ListenAddress(host: host, port: port))\(JoinPageRoutes.linkPrefix)"
    }

    /// An address under which others reach a listener: its own, or for all addresses the one of the machine's default route.
    private static func host(of address: ListenAddress, on machine: MachineAddresses) -> String {
        guard let own = IPAddress(address.host), own.bytes.allSatisfy({ $0 == 0 }) else { return address.host }
        if let outward = machine.outward { return "\(outward)" }
        let known = machine.addresses.filter { $0.bytes.count == 4 && $0.bytes.first != 127 }.map { "\($0)" }.sorted()
        return known.first ?? "127.0.0.1"
    }

    // MARK: Running

    /// Answers until graceful shutdown.
    /// - Throws: ``GatewayError`` with `listenFailed` when the address cannot be bound.
    public func run() async throws {
        let terms = self.current
        try await self.succession.run {
            guard let address = terms.current.configuration.listen else { return nil }
            let listener = try await self.listen(on: address, terms, isShared: false)
            self.tell(listener, address)
            return listener
        } onListening: {
            self.onListening()
        }
    }

    private func tell(_ listener: HTTPListener, _ address: ListenAddress) {
        let place = ListenAddress(host: address.host, port: listener.port ?? address.port)
        let scheme = self.current.current.certificate == nil ? "http" : "https"
        self.logger.info("Join page ready", metadata: ["address": "\(place)", "scheme": "\(scheme)"])
    }

    private func listen(on address: ListenAddress, _ terms: Terms, isShared: Bool) async throws -> HTTPListener {
        var quiet = self.logger
        quiet.logLevel = max(quiet.logLevel, .notice)
        let logger = self.logger
        let rules = HTTPListener.Rules(
            limits: { Self.limits }, certificate: { terms.current.certificate },
            refused: { address, reason in
                logger.debug("Guest turned away", metadata: ["address": "\(address)", "reason": "\(reason)"])
            })
        do {
            return try await HTTPListener(
                at: .address(host: address.host, port: address.port, sharesAddress: isShared), kind: .guests,
                admission: self.admission, rules: rules, reserve: DescriptorReserve(),
                on: MultiThreadedEventLoopGroup.singleton, logger: quiet,
                responder: APIResponder.make(
                    rules: { terms.current.rules },
                    gate: CallerGate(identity: .all(Caller(name: "guest", scopes: [])), rates: self.rates, audit: nil),
                    audit: self.audit, routes: [self.routes], metrics: self.metrics, logger: quiet))
        } catch {
            throw GatewayError(
                .listenFailed, "the join page cannot listen on \(address): \(TransportError.text(ofListening: error))")
        }
    }

    /// Serves another certificate to new connections, when it has TLS.
    public func replace(certificate: TLSServerContext) { self.current.replace(certificate: certificate) }

    // MARK: Reloads

    /// Listens on the new address, if it is another; nothing that runs changes.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    public func prepare(_ settings: Settings) async throws -> Replacement {
        let terms = Terms(settings)
        let listeners = try await self.succession.prepare(
            from: self.current.current.configuration.listen, to: settings.configuration.listen
        ) { try await self.listen(on: $0, terms, isShared: $1) }
        return Replacement(terms: terms, listeners: listeners)
    }

    /// Puts what was prepared in force, and gives the old address up.
    public func commit(_ replacement: Replacement) async {
        let settings = replacement.terms.current
        self.terms.withLock { terms in
            if replacement.listeners.staysAtAddress { terms.set(settings) } else { terms = replacement.terms }
        }
        if let listener = replacement.listeners.listener, let address = settings.configuration.listen {
            self.tell(listener, address)
        }
        await self.succession.commit(replacement.listeners)
    }

    /// Gives up what was prepared.
    public func undo(_ replacement: Replacement) async { await self.succession.undo(replacement.listeners) }
}
