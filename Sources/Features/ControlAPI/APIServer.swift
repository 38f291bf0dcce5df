package import CastTransport
package import GatewayConfig
import GatewayCore
package import GatewayJournal
package import GatewayMetrics
package import GatewayOperations
import HTTPServing
package import Logging
package import NIOCore
import SystemPrimitives

/// The API listener, for callers of the network.
package typealias APIServer = ReloadableServer<APISettings>

/// The settings of the API listener.
package struct APISettings: SecureServerSettings {
    package static let service = "API listener"
    package static let subject = "the API"
    package static let ready: Logger.Message = "API ready"

    /// The address that it listens on; nil for none.
    package var address: ListenAddress?
    /// The certificate that TLS serves; nil for plain HTTP.
    package var certificate: TLSServerContext?
    /// The names that `Host` may have beside IP addresses and `localhost`.
    package var hosts: Set<String>
    /// The sites whose pages may ask.
    package var origins: Set<String>
    /// The limits of callers.
    package var limits: APILimits
    /// The time that a request may take from its first byte to its last, and that a caller may read nothing of an answer.
    package var requestTimeout = TimeAmount.seconds(10)
    /// The time that a connection may be without a request.
    package var idleTimeout = TimeAmount.seconds(60)

    /// Takes what a configuration says.
    /// - Parameter certificate: what its `tls` came to.
    package init(_ configuration: APIConfiguration, certificate: TLSServerContext?) {
        self.address = configuration.listen
        self.certificate = certificate
        self.hosts = configuration.allowedHosts
        self.origins = Set(configuration.origins)
        self.limits = configuration.limits
    }

    /// The limits of a connection.
    fileprivate var http: HTTPLimits {
        HTTPLimits(
            requestTimeout: self.requestTimeout, idleTimeout: self.idleTimeout, maximumBodyBytes: self.limits.body)
    }

    /// The rules by which requests are taken at all.
    fileprivate var rules: RequestRules {
        RequestRules(isSecure: self.certificate != nil, hosts: self.hosts, origins: self.origins)
    }

    /// The limits of a socket.
    fileprivate var sockets: APISocketLimits {
        var limits = APISocketLimits()
        limits.frames.maximumMessageBytes = self.limits.body
        limits.frames.framesPerSecond = self.limits.requestsPerSecond ?? .max
        return limits
    }
}

extension ReloadableServer<APISettings> {
    /// Serves the operations of the catalogue, and whatever else ``APIRoutes`` add.
    /// - Parameters:
    ///   - catalogue: what callers can have done.
    ///   - events: what callers can follow.
    ///   - routes: what is offered beside it.
    ///   - authority: tells who a caller is.
    ///   - admission: counts connections over all listeners.
    ///   - audit: learns of requests that are refused.
    ///   - metrics: where requests and sockets are counted.
    ///   - group: the event loops of its connections; asked for whenever it begins to listen.
    package func serving(
        _ catalogue: OperationCatalogue, events: any EventSource = NoEvents(), routes: [any APIRoutes] = [],
        authority: any CallerAuthority, admission: Admission, audit: (any AuditTrail)?,
        metrics: MetricsRegistry = MetricsRegistry(), on group: @escaping @Sendable () -> any EventLoopGroup
    ) -> Running {
        let logger = self.logger
        let rates = CallerRates(perSecond: self.current.limits.requestsPerSecond)
        let body = Current(self.current.limits.body)
        let sockets = SocketRoutes(
            catalogue: catalogue, events: events, authority: authority, rates: rates, audit: audit, metrics: metrics)
        let routes: [any APIRoutes] =
            [
                OperationRoutes(catalogue, maximumBody: { body.value }),
                EventStreamRoutes(events: events, authority: authority), sockets,
            ] + routes
        let work = Work(
            committed: {
                rates.limit(perSecond: $0.limits.requestsPerSecond)
                body.set($0.limits.body)
            }, beside: { await sockets.run() }
        ) { place, settings in
            let rules = HTTPListener.Rules(
                limits: { settings.value.http }, certificate: { settings.value.certificate },
                refused: { address, reason in
                    logger.debug("Caller turned away", metadata: ["address": "\(address)", "reason": "\(reason)"])
                }, awaitsCaller: true)
            return try await HTTPListener(
                at: place, kind: .api, admission: admission, rules: rules, reserve: DescriptorReserve(), on: group(),
                logger: logger.quiet,
                upgrades: { sockets.decide($0, rules: settings.value.rules, limits: settings.value.sockets) },
                responder: APIResponder.make(
                    rules: { settings.value.rules },
                    gate: CallerGate(identity: .authority(authority), rates: rates, audit: audit), audit: audit,
                    routes: routes, metrics: metrics, logger: logger.quiet))
        }
        return Running(server: self, work: work)
    }
}
