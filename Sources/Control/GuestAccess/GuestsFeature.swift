package import CastIdentity
package import CastTransport
import ControlAPI
package import FeatureContract
import GatewayConfig
import GatewayCore
package import GatewayMetrics
import GatewayOperations
import GatewaySettings
import Logging
package import MessageBridges
import NIOCore
import NIOPosix
import NamespaceHandlers
import SystemPrimitives
import VirtualDevices

/// Join codes and guests: who may connect to virtual devices that ask for a code, the page on which guests redeem codes, and check-out.
package final class GuestsFeature: OperatingFeature {
    package let name = "guests"
    /// Has the codes, and the guests.
    package let desk: JoinCodeService
    /// Ends what guests do who leave.
    package let departures: GuestDepartures
    private let context: GatewayContext
    private let outbox: Outbox
    private let admission: Admission
    private let certificates: APICertificates
    private let logger: Logger
    /// Has codes and guests end by the clock as it is set.
    private let clock: ClockObservation
    private let server: JoinPageServer
    private let resolver = Current<DeviceResolver?>(nil)
    /// Open once the page is served, or is not to be.
    private let gate = Latch()

    /// Reads codes and guests that are kept.
    /// - Parameters:
    ///   - identities: where the database is that they are kept in.
    ///   - authority: makes the tokens of guests.
    ///   - outbox: has the messages that are kept for apps.
    ///   - admission: counts connections over all listeners.
    ///   - isReachable: whether what stands behind a virtual device answers for itself now.
    /// - Throws: when the state database cannot be read, or `api.join.tls` names files that cannot be used.
    package init(
        _ context: GatewayContext, identities: IdentityStore, authority: any TokenIssuer, outbox: Outbox,
        admission: Admission,
        isReachable: @escaping @Sendable (_ device: String) -> Bool
    ) async throws {
        let logger = context.makeLogger("Guests")
        let store = try JoinStore(identities.database)
        let departures = GuestDepartures(
            guarded: {
                context.configuration.current.virtualDevices.filter { $0.join == .required }.map(\.name)
            }, isReachable: isReachable, store: store.departures, wallClock: context.wallClock, logger: logger)
        self.context = context
        self.outbox = outbox
        self.admission = admission
        self.logger = logger
        self.departures = departures
        self.desk = try JoinCodeService(
            store: store, authority: authority,
            context: GuestContext(
                events: context.events, audit: context.audit, metrics: context.metrics, logger: logger,
                eventLoop: context.eventLoops.any(), wallClock: context.wallClock,
                obstacle: identities.volatility.map { "\($0)" }, depart: { departures.later($0) }))
        self.clock = context.events.clock.observe { [weak desk = self.desk] in
            NIOThreadPool.singleton.submit { [weak desk] state in
                if state == .active { desk?.settle() }
            }
        }
        try departures.resume()
        let certificates = APICertificates(
            for: .join, identities: identities, wallClock: context.wallClock, logger: logger)
        self.certificates = certificates
        let configuration = context.configuration.current.api
        let made = try await NIOThreadPool.singleton.runIfActive { try certificates.make(configuration) }
        certificates.served(made)
        self.server = JoinPageServer(
            JoinPageServer.Settings(configuration.join, certificate: made?.context), logger: logger,
            onListening: { [gate] in gate.open() })
    }

    /// Says how devices are found that callers name; before callers are served.
    package func follow(_ resolver: DeviceResolver) { self.resolver.set(resolver) }

    package static let offered: [Offer<GuestsFeature>] = [
        Offer { CreateJoinCode(feature: $0) },
        Offer { ListJoinCodes(feature: $0) },
        Offer { RevokeJoinCode(feature: $0) },
        Offer { RedeemJoinCode(feature: $0) },
        Offer { ListGuests(feature: $0) },
        Offer { CheckOutGuest(feature: $0) },
    ]

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        let (context, server) = (self.context, self.server)
        let running = server.serving(
            gateway: { context.configuration.current.gateway.name }, reception: self, admission: self.admission,
            audit: context.audit, metrics: context.metrics, on: context.controlLoops.group)
        self.certificates.tell(context.configuration.current.api, certificate: server.certificate)
        let renewal = APICertificateRenewal(
            self.certificates, clock: context.events.clock,
            configuration: { [configuration = context.configuration] in configuration.current.api },
            served: { server.certificate }, serve: { server.replace(certificate: $0) })
        return [
            StagedService(.devicesListening, self.departures), StagedService(.alone, running),
            StagedService(.alone, renewal),
        ]
    }

    package func whenReady(_ callback: @escaping @Sendable () -> Void) { self.gate.whenOpen(callback) }

    package func close() { self.desk.register.close() }

    // MARK: What operations ask

    /// Seconds since 1970.
    var now: Int64 { self.context.wallClock() }

    /// Where guests are served; nil while they are not.
    package var port: Int? { self.server.port }

    /// The link for what it carries; nil while there is no page.
    func link(_ secret: String) -> String? { self.server.linkBase(on: .current).map { $0 + secret } }

    /// The devices that a caller names for its guests: those without `*` have to be there.
    /// - Parameter areVirtual: whether they are to be connected to.
    func devices(
        _ names: [String], areVirtual: Bool, for caller: Caller
    ) throws(OperationProblem) -> [DevicePattern] {
        guard let resolver = self.resolver.value else { throw Self.isStarting }
        var patterns: [DevicePattern] = []
        for name in names {
            if let message = DevicePattern.obstacle(in: name) {
                throw OperationProblem("invalid_input", status: 422, "a pattern of devices \(message)")
            }
            guard !name.contains("*") else {
                patterns.append(DevicePattern(name))
                continue
            }
            let reference = DeviceReference(name)
            let found =
                areVirtual
                ? try resolver.virtualDevice(reference, for: caller) : try resolver.device(reference, for: caller)
            patterns.append(DevicePattern(found.name))
        }
        return patterns
    }

    /// The gateway's name of a device that a caller means.
    /// - Throws: `unknown_device` (404), `ambiguous_device` (409), `device_not_allowed` (403).
    func device(_ text: String, for caller: Caller) throws(OperationProblem) -> String {
        guard let resolver = self.resolver.value else { throw Self.isStarting }
        return try resolver.device(DeviceReference(text), for: caller).name
    }

    private static let isStarting = OperationProblem("unavailable", status: 503, "the gateway is starting")

    /// Ends what a guest does who has left; goes on later with what does not end now.
    func end(_ departure: GuestDeparture) async -> GuestDepartures.Outcome {
        let outcome = await self.departures.end(departure)
        // A caller that goes away leaves unknown how far it came.
        let rest = Task.isCancelled ? departure.sessions : Set(outcome.unstopped)
        if rest.isEmpty {
            await self.departures.forget(departure.guest)
        } else {
            self.departures.later(
                GuestDeparture(guest: departure.guest, sessions: rest, reason: departure.reason))
        }
        return outcome
    }

    /// Forgets the messages that are kept for apps on a device: they were for the guests who leave.
    /// - Returns: how many there were.
    func forgetMessages(for device: String) async -> Int {
        do {
            return try await self.outbox.purge(
                OutboxSelection(destination: AppCarrier.destination, device: "virtual:\(device)"))
        } catch {
            self.logger.warning(
                "Messages for the apps of guests who left are not forgotten", metadata: ["reason": "\(error)"])
            return 0
        }
    }

    package func metrics(for scrape: MetricsScrape) async -> [MetricFamily] {
        // It waits for writes to the disk.
        guard let counts = try? await NIOThreadPool.singleton.runIfActive({ [desk] in desk.counts }) else { return [] }
        var codes = MetricFamily(.joinCodes)
        for state in JoinCode.State.allCases where state != .over {
            codes.add([state.rawValue], Double(counts[state] ?? 0))
        }
        return [MetricFamily(.guests, Double(self.desk.register.book.count)), codes]
    }

    // MARK: Reloads

    package func plan(_ change: inout ConfigurationChange) {
        guard change.old.api.join.tls == change.new.api.join.tls, self.certificates.filesHaveChanged(change.new.api)
        else { return }
        change.plan.add("api.join.tls", .newConnections, note: "a file has changed")
    }

    package func prepare(_ change: inout ConfigurationChange) async throws -> PreparedChange? {
        let (server, certificates) = (self.server, self.certificates)
        let (api, old) = (change.new.api, change.old.api)
        let made = try await NIOThreadPool.singleton.runIfActive { try certificates.make(api) }
        let replacement = try await server.prepare(JoinPageServer.Settings(api.join, certificate: made?.context))
        return PreparedChange(
            commit: {
                await server.commit(replacement)
                certificates.served(made)
                if api.join != old.join { certificates.tell(api, certificate: server.certificate) }
            },
            settle: { await self.departures.disconnectStrangers() },
            undo: { await server.undo(replacement) })
    }
}

extension GuestsFeature: GuestReception {
    func redeem(_ code: String, from address: String) async throws(OperationProblem) -> GuestWelcome {
        guard let shown = ShownCode(code) else {
            throw OperationProblem("code_refused", status: 403, "that is no join code")
        }
        let desk = self.desk
        let redeemed = try await BlockingWork.run { () throws(OperationProblem) in
            try desk.redeem(shown, from: address, counted: address)
        }
        let guest = redeemed.guest
        let configuration = self.context.configuration.current
        let listing = self.resolver.value?.listing
        let devices = configuration.virtualDevices.filter { guest.address != nil && guest.mayUse(device: $0.name) }
        let zone = ZoneClock(configuration.routing.timeZone)
        return GuestWelcome(
            devices: devices.map { listing?.shownName(of: $0) ?? $0.friendlyName }, token: redeemed.token,
            end: guest.expires,
            zone: .init(name: zone.name, offset: zone.offset(secondsSince1970: Int(guest.expires.seconds))),
            isAgain: !redeemed.isNew)
    }
}
