package import CastTransport
package import GatewayConfig
import GatewayCore
import GatewayOperations
import HTTPServing
package import Logging
package import NIOCore
import SystemPrimitives

/// The listener of metrics (`metrics.listen`).
package typealias MetricsServer = ReloadableServer<MetricsSettings>

/// The settings of the listener of metrics.
package struct MetricsSettings: ServerSettings {
    package static let service = "metrics listener"
    package static let subject = "the metrics listener"
    package static let ready: Logger.Message = "Metrics can be read"

    /// Scrapers keep their connection from one scrape to the next, mostly for less than a minute.
    fileprivate static let limits = HTTPLimits(idleTimeout: .seconds(120), maximumBodyBytes: 1024)
    /// How often an address may ask in a second.
    fileprivate static let requestsPerSecond = 50

    /// The address that it listens on; nil for none.
    package let address: ListenAddress?
    fileprivate let rules: RequestRules

    /// Takes what a configuration says; nil for one without metrics.
    package init(_ configuration: MetricsConfiguration?) {
        self.address = configuration?.listen
        self.rules = RequestRules(hosts: Set(configuration?.hosts.map { $0.lowercased() } ?? []))
    }
}

extension ReloadableServer<MetricsSettings> {
    /// Serves what monitors ask over HTTP, and nothing that commands the gateway.
    /// - Parameters:
    ///   - probes: what is answered.
    ///   - admission: counts connections over all listeners.
    ///   - group: the event loops of its connections; asked for whenever it begins to listen.
    package func serving(
        _ probes: ControlProbes, admission: Admission, on group: @escaping @Sendable () -> any EventLoopGroup
    ) -> Running {
        let logger = self.logger
        // All who reach it read, and do nothing else.
        let gate = CallerGate(
            identity: .all(Caller(name: "metrics", scopes: [.read])),
            rates: CallerRates(perSecond: Settings.requestsPerSecond), audit: nil)
        let routes: [any APIRoutes] = [ProbeRoutes(probes: probes), MetricsRoutes(metrics: probes.metrics)]
        let work = Work { place, settings in
            let rules = HTTPListener.Rules(
                limits: { Settings.limits },
                refused: { address, reason in
                    logger.debug("Scraper turned away", metadata: ["address": "\(address)", "reason": "\(reason)"])
                })
            return try await HTTPListener(
                at: place, kind: .metrics, admission: admission, rules: rules, on: group(), logger: logger.quiet,
                responder: APIResponder.make(
                    rules: { settings.value.rules }, gate: gate, audit: nil, routes: routes, metrics: probes.metrics,
                    logger: logger.quiet))
        }
        return Running(server: self, work: work)
    }
}
