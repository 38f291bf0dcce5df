public import CastIdentity
import DeviceSessions
public import GatewayCore
public import Logging
import NIOCore
import NIOPosix
import NamespaceHandlers
import ServiceLifecycle
import Synchronization
import UnixSignals
public import VirtualDevices

/// The running gateway: everything that `gateway.yaml` describes, wired together.
///
/// Read ``init(configuration:makeLogger:wallClock:)`` for what there is, and ``run(onReady:)`` for the order in which it
/// starts and stops.
public final class Gateway: Sendable {
    /// What the gateway was made from.
    public let configuration: GatewayConfiguration
    /// Where handlers come and go while it runs.
    public let registry = HandlerRegistry()
    /// What happens in it.
    public let events = EventBus()

    private let devices: DeviceSessionDirectory
    private let virtualDevices: VirtualDeviceEnvironment
    private let makeLogger: @Sendable (String) -> Logger
    private let wallClock: @Sendable () -> Int64

    /// Prepares a gateway: handlers, identities, sessions. Nothing is listened on or dialled yet.
    ///
    /// Blocks while it makes the keys of new virtual devices, a few tenths of a second each.
    /// - Parameters:
    ///   - makeLogger: makes the logger of a component; `log.levels` names components.
    ///   - wallClock: seconds since 1970, for certificates.
    /// - Throws: `IdentityError` when the state directory or a PEM file cannot be used, ``GatewayError`` when two
    ///   handlers claim the same.
    public init(
        configuration: GatewayConfiguration, makeLogger: @escaping @Sendable (String) -> Logger = { Logger(label: $0) },
        wallClock: @escaping @Sendable () -> Int64 = { WallClock.secondsSince1970 }
    ) async throws {
        self.configuration = configuration
        self.makeLogger = makeLogger
        self.wallClock = wallClock
        let eventLoops = MultiThreadedEventLoopGroup.singleton
        try self.registry.replaceAll(with: configuration.builtInHandlers)
        self.devices = try await DeviceSessionDirectory(
            devices: configuration.deviceAddresses, configuration: configuration.connections, events: self.events,
            eventLoops: eventLoops, stopsApps: configuration.shutdown.stopReceivers,
            logger: makeLogger("DeviceSession"))
        let identities = try configuration.openIdentities()
        // Keys take a moment to make; nothing should be dialled before all devices can listen.
        for device in configuration.virtualDevices {
            let identity = try identities.loadOrCreate(device: device.name, now: wallClock())
            // A device that cannot store its certificate says so itself, and makes do with one that is not stored.
            _ = try? identities.currentLeaf(for: identity, now: wallClock())
        }
        if let reason = identities.volatility {
            makeLogger("Gateway").warning(
                "The state cannot be written; what is there is used, and nothing new is kept beyond this run",
                metadata: ["reason": "\(reason)"])
        }
        self.virtualDevices = VirtualDeviceEnvironment(
            identities: identities, registry: self.registry,
            routerSettings: configuration.routerSettings, payloadText: configuration.payloadText, events: self.events,
            devices: self.devices, eventLoops: eventLoops, limits: configuration.senders,
            drain: configuration.shutdown.drain, logger: makeLogger("VirtualDevice"))
    }

    /// The root that senders must trust to accept the virtual devices.
    /// - Throws: `IdentityError`.
    public func rootCertificate() throws -> RootCertificate {
        try self.virtualDevices.identities.root(now: self.wallClock())
    }

    /// True while the channel to a device is open; false for one that does not exist.
    public func isOnline(_ device: String) -> Bool {
        self.devices.isOnline(device)
    }

    /// Where everything lives.
    var eventLoops: [any EventLoop] { Array(self.virtualDevices.eventLoops.makeIterator()) }

    /// The virtual devices that run now.
    var running: RunningDevices { self.virtualDevices.running }

    /// How many senders are connected now, those too whose TLS does not stand yet.
    var senderCount: Int { self.virtualDevices.senderCount }

    /// Runs until SIGTERM, SIGINT, or graceful shutdown of the task.
    ///
    /// Devices are dialled when all virtual devices listen, since one may stand for another; the way down is the
    /// reverse.
    /// - Parameter onReady: called once, when every virtual device can be connected to.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address is taken.
    public func run(
        onReady: @escaping @Sendable (_ endpoints: [VirtualDeviceEndpoints]) -> Void = { _ in }
    ) async throws {
        let settings = self.configuration.gateway
        self.makeLogger("Gateway").info(
            "Starting", metadata: ["gateway": "\(settings.id)", "name": "\(settings.name)"])
        let expected = self.configuration.virtualDevices.count
        let listening = Mutex<[VirtualDeviceEndpoints]>([])
        let (gate, gateKeeper) = AsyncStream.makeStream(of: Never.self)
        let ready: @Sendable ([VirtualDeviceEndpoints]) -> Void = { endpoints in
            gateKeeper.finish()
            onReady(endpoints)
        }
        var services: [any Service] = [AfterReady(gate: gate, service: self.devices)]
        if expected == 0 { services.append(NothingToListen(onRun: { ready([]) })) }
        var devices: [any Service] = []
        for device in self.configuration.virtualDevices {
            devices.append(
                VirtualDeviceService(
                    configuration: device, environment: self.virtualDevices,
                    logger: self.makeLogger("VirtualDevice"), wallClock: self.wallClock,
                    onListening: { endpoints in
                        let all = listening.withLock { list in
                            list.append(endpoints)
                            return list
                        }
                        if all.count == expected { ready(all.sorted { $0.name < $1.name }) }
                    }))
        }
        if !devices.isEmpty { services.append(SideBySide(description: "virtual devices", services: devices)) }
        var group = ServiceGroupConfiguration(
            services: services.map {
                .init(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: self.makeLogger("Gateway"))
        group.maximumGracefulShutdownDuration = self.configuration.shutdown.total
        try await ServiceGroup(configuration: group).run()
    }
}
