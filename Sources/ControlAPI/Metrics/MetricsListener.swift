public import CastTransport
public import GatewayConfig
import GatewayCore
import GatewayOperations
import HTTPServing
public import Logging
import NIOCore
import NIOPosix

/// Where metrics are read at one address: HTTP with what monitors ask, and nothing that commands the gateway.
public final class MetricsListener: Sendable {
    /// Scrapers keep their connection from one scrape to the next, mostly for less than a minute.
    private static let limits = HTTPLimits(idleTimeout: .seconds(120), maximumBodyBytes: 1024)
    /// How long callers that are being answered have when the listener ends.
    private static let farewell = TimeAmount.seconds(1)
    /// How often an address may ask in a second.
    private static let requestsPerSecond = 50
    /// All who reach it: they read, and nothing else.
    private static let scraper = Caller(name: "metrics", scopes: [.read])

    /// The address that was asked for.
    public let address: ListenAddress
    private let listener: HTTPListener

    /// Begins to listen; requests are answered while ``run()`` runs, which it must be called for, or ``discard()``.
    /// - Parameters:
    ///   - sharesAddress: whether another listener of this process gives the port up for it.
    ///   - hosts: names under which callers may ask, beside addresses; asked for each request.
    ///   - admission: counts connections over all listeners.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    public init(
        at address: ListenAddress, sharesAddress: Bool = false, hosts: @escaping @Sendable () -> [String],
        probes: ControlProbes, admission: Admission, logger: Logger
    ) async throws {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        let rules = HTTPListener.Rules(
            limits: { Self.limits },
            refused: { address, reason in
                logger.debug("Scraper turned away", metadata: ["address": "\(address)", "reason": "\(reason)"])
            })
        self.address = address
        do {
            self.listener = try await HTTPListener(
                at: .address(host: address.host, port: address.port, sharesAddress: sharesAddress), kind: .metrics,
                admission: admission, rules: rules, on: MultiThreadedEventLoopGroup.singleton, logger: quiet,
                responder: APIResponder.make(
                    rules: { RequestRules(hosts: Set(hosts().map { $0.lowercased() })) },
                    gate: CallerGate(
                        identity: .all(Self.scraper), rates: CallerRates(perSecond: Self.requestsPerSecond), audit: nil),
                    audit: nil,
                    routes: [ProbeRoutes(probes: probes), MetricsRoutes(metrics: probes.metrics)],
                    metrics: probes.metrics, logger: quiet))
        } catch {
            throw GatewayError(
                .listenFailed,
                "the metrics listener cannot listen on \(address): \(TransportError.text(ofListening: error))")
        }
        logger.info("Metrics can be read", metadata: ["address": "\(address)"])
    }

    /// Where it listens.
    public var port: Int? { self.listener.port }

    /// Lets another listener of this process have the same port, or forbids it again.
    public func share(_ isShared: Bool) async throws {
        try await SharedAddress.allow(isShared, on: self.listener.channel)
    }

    /// Answers until ``quiesce()``, or until the task is cancelled.
    public func run() async { await self.listener.run() }

    /// Gives the address up, lets those that are being answered hear the end of it, and then hangs up.
    public func quiesce() { self.listener.quiesce(within: Self.farewell) }

    /// Gives the address up without ever having answered.
    public func discard() async { await self.listener.discard() }
}
