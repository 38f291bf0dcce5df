import CastIdentity
import DeviceSessions
public import GatewayCore
public import Logging
import NamespaceHandlers
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import UnixSignals
public import VirtualDevices

/// The running gateway: everything that `gateway.yaml` describes, wired together.
///
/// Read ``init(configuration:logger:wallClock:)`` for what there is, and ``run(onReady:)`` for the order in which it
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
    private let logger: Logger
    private let wallClock: @Sendable () -> Int64

    /// Prepares a gateway: handlers, identities, sessions. Nothing is listened on or dialled yet.
    ///
    /// Blocks while it makes the keys of new virtual devices, a few tenths of a second each.
    /// - Parameter wallClock: seconds since 1970, for certificates.
    /// - Throws: `IdentityError` when the state directory or a PEM file cannot be used, ``GatewayError`` when two
    ///   handlers claim the same.
    public init(
        configuration: GatewayConfiguration, logger: Logger,
        wallClock: @escaping @Sendable () -> Int64 = { WallClock.secondsSince1970 }
    ) async throws {
        self.configuration = configuration
        self.logger = logger
        self.wallClock = wallClock
        let eventLoops = MultiThreadedEventLoopGroup.singleton
        try self.registry.replaceAll(with: configuration.builtInHandlers)
        self.devices = try await DeviceSessionDirectory(
            devices: configuration.deviceAddresses, configuration: configuration.connections, events: self.events,
            eventLoops: eventLoops, stopsApps: configuration.shutdown.stopReceivers,
            logger: logger.labelled("DeviceSession"))
        let identities = try configuration.openIdentities()
        // Keys take a moment to make; nothing should be dialled before all devices can listen.
        for device in configuration.virtualDevices {
            let identity = try identities.loadOrCreate(device: device.name, now: wallClock())
            _ = try identities.currentLeaf(for: identity, now: wallClock())
        }
        self.virtualDevices = VirtualDeviceEnvironment(
            identities: identities, registry: self.registry,
            routerSettings: configuration.routerSettings, events: self.events, devices: self.devices,
            eventLoops: eventLoops, limits: configuration.senders, drain: configuration.shutdown.drain)
    }

    /// Runs until SIGTERM, SIGINT, or graceful shutdown of the task.
    ///
    /// Devices are dialled first and virtual devices appear last; the way down is the reverse.
    /// - Parameter onReady: called once, when every virtual device can be connected to.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address is taken.
    public func run(
        onReady: @escaping @Sendable (_ endpoints: [VirtualDeviceEndpoints]) -> Void = { _ in }
    ) async throws {
        let expected = self.configuration.virtualDevices.count
        let listening = Mutex<[VirtualDeviceEndpoints]>([])
        if expected == 0 { onReady([]) }
        var services: [any Service] = [self.devices]
        for device in self.configuration.virtualDevices {
            services.append(
                VirtualDeviceService(
                    configuration: device, environment: self.virtualDevices,
                    logger: self.logger.labelled("VirtualDevice"), wallClock: self.wallClock,
                    onListening: { endpoints in
                        let all = listening.withLock { list in
                            list.append(endpoints)
                            return list
                        }
                        if all.count == expected { onReady(all.sorted { $0.name < $1.name }) }
                    }))
        }
        var group = ServiceGroupConfiguration(
            services: services.map {
                .init(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: self.logger.labelled("Gateway"))
        group.maximumGracefulShutdownDuration = self.configuration.shutdown.total
        try await ServiceGroup(configuration: group).run()
    }
}
