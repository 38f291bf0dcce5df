import CastClient
import CastTransport
import CastWire
import GatewayConfig
import GatewayCore
import Glibc
import Logging
import MediaRelay
import NIOCore
import Synchronization

/// The last record of each device, for callers on any thread.
final class DeviceAuthenticationRecords: Sendable {
    private let records = Mutex<[String: DeviceAuthenticationRecord]>([:])

    subscript(device: String) -> DeviceAuthenticationRecord? {
        get { self.records.withLock { $0[device] } }
        set { self.records.withLock { $0[device] = newValue } }
    }

    func keepOnly(_ devices: Set<String>) {
        self.records.withLock { records in records = records.filter { devices.contains($0.key) } }
    }
}

/// Makes sessions with devices, each on its event loop, from what all of them share.
struct DeviceSessionFactory: Sendable {
    /// The settings of a configuration that all sessions follow until the next one.
    struct Plan: Sendable {
        let dialer: CastDialer
        let backoff: Backoff
        let sessions: SessionsConfiguration
        let verification: DeviceVerification

        var settings: DeviceSessionSettings {
            DeviceSessionSettings(dialer: self.dialer, backoff: self.backoff, sessions: self.sessions)
        }
    }

    let online = OnlineDevices()
    let authentications = DeviceAuthenticationRecords()
    /// Carries the streams of the mirroring senders of all devices.
    let media = MediaRelayPool()
    private let events: EventBus
    private let store: (any SessionRecordStore)?
    private let loads: (any LoadCompletion)?
    private let routing: OwnLegRouting
    private let logger: Logger
    private let random: @Sendable () -> Double
    private let wallClock: @Sendable () -> Int64

    /// - Parameters:
    ///   - random: gives numbers from -1 to 1, for the jitter of the pauses between dials.
    ///   - wallClock: gives seconds since 1970, for certificates; nil for the system's.
    init(
        events: EventBus, store: (any SessionRecordStore)?, loads: (any LoadCompletion)?,
        routing: OwnLegRouting, logger: Logger, random: @escaping @Sendable () -> Double,
        wallClock: (@Sendable () -> Int64)?
    ) {
        self.events = events
        self.store = store
        self.loads = loads
        self.routing = routing
        self.logger = logger
        self.random = random
        self.wallClock = wallClock ?? { Int64(time(nil)) }
    }

    /// Reads what a configuration names.
    /// - Throws: when TLS cannot be set up, and `IdentityError` when a trust anchor cannot be read.
    func plan(_ configuration: ConnectionsConfiguration, _ sessions: SessionsConfiguration) throws -> Plan {
        let pipeline = CastPipeline(
            role: .sender,
            heartbeat: .init(
                interval: TimeAmount(configuration.heartbeat.interval),
                timeout: TimeAmount(configuration.heartbeat.timeout)),
            handshakeTimeout: TimeAmount(configuration.dialTimeout))
        return Plan(
            dialer: try CastDialer(pipeline: pipeline, timeout: TimeAmount(configuration.dialTimeout)),
            backoff: Backoff(
                initial: configuration.reconnectInitial, maximum: configuration.reconnectMaximum,
                jitter: configuration.reconnectJitter, random: self.random),
            sessions: sessions, verification: try DeviceVerification(configuration, wallClock: self.wallClock))
    }

    /// Makes the session with a device; nothing is dialled.
    /// - Parameters:
    ///   - addresses: what the configuration says of where it is.
    ///   - known: what discovery knows of it.
    ///   - category: says whose device it is; nil while it is not listed.
    ///   - onAvailability: called on the event loop when the device says whether it has an app.
    func makeEntry(
        _ name: String, _ addresses: [DeviceAddress], _ known: KnownDevices.Device, _ plan: Plan,
        on eventLoop: any EventLoop, category: @escaping @Sendable () -> DeviceCategory?,
        onAvailability: @escaping @Sendable (_ app: AppID, _ isAvailable: Bool) -> Void
    ) async throws -> DeviceSessionEntry {
        var logger = self.logger
        logger[metadataKey: "target"] = "\(name)"
        let session = try await eventLoop.submit { [self, logger] in
            let authenticator = DeviceAuthenticator(
                device: name, verification: plan.verification, records: self.authentications, events: self.events,
                eventLoop: eventLoop, logger: logger)
            authenticator.showsVideo = known.showsVideo
            let session = DeviceSession(
                name: name, candidates: addresses + known.addresses, settings: plan.settings,
                authenticator: authenticator, online: self.online, events: self.events, store: self.store,
                loads: self.loads, routing: self.routing, wantedApps: known.wantedApps, media: self.media,
                eventLoop: eventLoop,
                logger: logger,
                onAvailability: onAvailability)
            session.link.expect(known.identity)
            session.category = category
            return NIOLoopBound(session, eventLoop: eventLoop)
        }.get()
        return DeviceSessionEntry(name: name, addresses: addresses, eventLoop: eventLoop, session: session)
    }
}
