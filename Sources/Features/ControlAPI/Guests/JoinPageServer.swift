package import CastTransport
package import GatewayConfig
import GatewayCore
package import GatewayMetrics
package import GatewayOperations
import HTTPServing
package import Logging
package import NIOCore
import SystemPrimitives

/// The listener of the join page (`api.join`).
package typealias JoinPageServer = ReloadableServer<JoinPageSettings>

/// The settings of the join page.
///
/// It is held to the limits of every listener: connections in all and of an address, rates, times, sizes; to `Host`, `Origin` and
/// `Sec-Fetch-Site`.
package struct JoinPageSettings: SecureServerSettings {
    package static let service = "join page"
    package static let subject = "the join page"
    package static let ready: Logger.Message = "Join page ready"

    /// The most connections at once.
    package static let maximumConnections = 256
    /// The most connections of one address at once: a browser opens several.
    package static let maximumPerAddress = 16
    /// The most new connections, and the most requests, that an address may make in a second.
    package static let perSecond = 10

    fileprivate static let limits = HTTPLimits(idleTimeout: .seconds(15), maximumBodyBytes: JoinForm.maximumBytes)

    /// The address that it listens on, and the names by which it is reached.
    package var configuration: JoinPageConfiguration
    /// The certificate that TLS serves; nil for plain HTTP.
    package var certificate: TLSServerContext?

    /// Takes what a configuration says.
    /// - Parameter certificate: what its `tls` came to.
    package init(_ configuration: JoinPageConfiguration, certificate: TLSServerContext?) {
        self.configuration = configuration
        self.certificate = certificate
    }

    package var address: ListenAddress? { self.configuration.listen }

    fileprivate var rules: RequestRules {
        RequestRules(
            isSecure: self.certificate != nil, hosts: self.configuration.allowedHosts, isForPeople: true,
            ownSites: Set([self.configuration.url].compactMap(\.self)))
    }
}

extension ReloadableServer<JoinPageSettings> {
    /// Serves the join page, where guests redeem codes, and can do nothing else.
    /// - Parameters:
    ///   - gateway: what the gateway is called; asked for every request.
    ///   - reception: redeems codes.
    ///   - admission: counts connections over all listeners.
    ///   - audit: learns of requests that are refused.
    ///   - metrics: where requests are counted.
    ///   - group: the event loops of its connections; asked for whenever it begins to listen.
    package func serving(
        gateway: @escaping @Sendable () -> String, reception: any GuestReception, admission: Admission,
        audit: (any AuditTrail)?, metrics: MetricsRegistry, on group: @escaping @Sendable () -> any EventLoopGroup
    ) -> Running {
        let logger = self.logger
        let rates = CallerRates(perSecond: Settings.perSecond)
        let routes = [JoinPageRoutes(gateway: gateway, reception: reception)]
        let work = Work { place, settings in
            let rules = HTTPListener.Rules(
                limits: { Settings.limits }, certificate: { settings.value.certificate },
                refused: { address, reason in
                    logger.debug("Guest turned away", metadata: ["address": "\(address)", "reason": "\(reason)"])
                })
            return try await HTTPListener(
                at: place, kind: .guests, admission: admission, rules: rules, reserve: DescriptorReserve(),
                on: group(), logger: logger.quiet,
                responder: APIResponder.make(
                    rules: { settings.value.rules },
                    gate: CallerGate(identity: .all(Caller(name: "guest", scopes: [])), rates: rates, audit: nil),
                    audit: audit, routes: routes, metrics: metrics, logger: logger.quiet))
        }
        return Running(server: self, work: work)
    }

    /// Returns the part of a link before the secret: `https://192.0.2.9:8481/j/`. Nil while there is no page.
    /// - Parameter machine: the addresses of the machine, for a page that listens on all of them.
    package func linkBase(on machine: MachineAddresses) -> String? {
        let settings = self.current
        guard let address = settings.address, let scheme = settings.scheme, let port = self.port else { return nil }
        if let url = settings.configuration.url { return url + JoinPageRoutes.linkPrefix }
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
}
