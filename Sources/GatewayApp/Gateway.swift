public import CastDiscovery
public import CastIdentity
import ControlAPI
public import DeviceSessions
public import GatewayConfig
public import GatewayCore
public import Logging
import NIOCore
import NIOPosix
public import NamespaceHandlers
public import PluginHosting
import PluginKit
import ServiceLifecycle
import Synchronization
public import UnixSignals
public import VirtualDevices

/// The running gateway: everything that `gateway.yaml` describes, wired together.
///
/// Read ``init(configuration:document:source:version:makeLogger:applyLog:wallClock:)`` for what there is,
/// ``run(hangUps:onReady:)`` for the order in which it starts and stops, and ``reload(to:isDryRun:)`` for how it changes
/// meanwhile.
public final class Gateway: Sendable {
    /// What changes while the gateway runs.
    struct State {
        var configuration: GatewayConfiguration
        var document: ConfigDocument?
        var environment: VirtualDeviceEnvironment
        var anchors: AnchorCertificates
        var phase = Phase.starting
        var reloadWatch: ReloadWatch?
    }

    /// How far the gateway is; `ready` while senders can use it.
    enum Phase: String {
        case starting, ready, stopping
    }

    /// Where handlers come and go while it runs.
    public let registry = HandlerRegistry()
    /// What happens in it.
    public let events: EventBus
    /// What launches follow: `launch`, and credentials that were set since.
    public let launchSettings: LaunchSettings

    let state: Mutex<State>
    let devices: DeviceSessionDirectory
    let discovery: DeviceDiscovery
    let multicast: MulticastService
    let fleet: VirtualDeviceFleet
    /// The plugins that run.
    public let plugins: PluginFleet
    let source: ConfigurationSource?
    let version: String
    let makeLogger: @Sendable (String) -> Logger
    let applyLog: @Sendable (LogConfiguration) -> Void
    let wallClock: @Sendable () -> Int64
    let descriptorLimit: Int?
    let reloads: ReloadService
    let identities: IdentityStore
    private let stateLock: StateLock?
    private let announcement: RunAnnouncement?
    let eventLoops: any EventLoopGroup

    /// Prepares a gateway: handlers, identities, sessions. Nothing is listened on or dialled yet.
    ///
    /// Takes a while to make the keys of new virtual devices, a second each on one processor; the log says how far it is.
    /// - Parameters:
    ///   - document: the checked tree that the configuration was read from, for those who want to see it.
    ///   - source: where ``reload(isDryRun:)`` reads; without one there is nothing to read anew.
    ///   - version: the version of the program.
    ///   - makeLogger: makes the logger of a component; `log.levels` names components.
    ///   - applyLog: puts a changed `log` in force.
    ///   - network: where devices are found and announced; nil for the network that Avahi knows.
    ///   - announcement: tells commands where the gateway is while it runs; nil when none need to know.
    ///   - launcher: the program that starts plugins; nil for the one that comes with Castway.
    ///   - pluginTimings: how patient the gateway is with plugins.
    ///   - descriptorLimit: how many descriptors there are to be shared out; nil for the process's limit.
    ///   - wallClock: seconds since 1970, for certificates.
    /// - Throws: `IdentityError` when the state directory or a PEM file cannot be used, or another gateway uses the state
    ///   directory; ``GatewayError`` when another gateway answers at the admin socket, or two handlers claim the same.
    public init(
        configuration: GatewayConfiguration, document: ConfigDocument? = nil, source: ConfigurationSource? = nil,
        version: String = "", makeLogger: @escaping @Sendable (String) -> Logger = { Logger(label: $0) },
        applyLog: @escaping @Sendable (LogConfiguration) -> Void = { LoggingSetup.apply($0) },
        network: (any MulticastNetwork)? = nil, announcement: RunAnnouncement? = nil, launcher: String? = nil,
        pluginTimings: PluginTimings = PluginTimings(), descriptorLimit: Int? = nil,
        wallClock: @escaping @Sendable () -> Int64 = { WallClock.secondsSince1970 }
    ) async throws {
        self.source = source
        self.version = version
        self.makeLogger = makeLogger
        self.applyLog = applyLog
        self.wallClock = wallClock
        self.descriptorLimit = descriptorLimit
        self.eventLoops = MultiThreadedEventLoopGroup.singleton
        self.events = EventBus()
        self.launchSettings = LaunchSettings(configuration.launch, events: self.events)
        self.announcement = announcement
        // Before anything is looked at that may be another gateway's.
        let stateDirectory = configuration.gateway.stateDirectory
        try ControlPlace.checkFree(configuration.admin, stateDirectory: stateDirectory)
        self.stateLock = try StateLock.acquire(directory: stateDirectory)
        let identities = try configuration.openIdentities()
        self.identities = identities
        let store = Self.makeSessionStore(identities, makeLogger("DeviceSession"))
        self.devices = try await DeviceSessionDirectory(
            devices: configuration.deviceAddresses, configuration: configuration.connections,
            sessions: configuration.sessions, events: self.events,
            store: store, loads: self.launchSettings, eventLoops: self.eventLoops,
            stopsApps: configuration.shutdown.stopReceivers,
            logger: makeLogger("DeviceSession"), wallClock: wallClock)
        // Keys take a moment to make; nothing should be dialled before all devices can listen.
        let ownIDs = try await IdentityPreparation(
            identities: identities, now: wallClock(), logger: makeLogger("Gateway")
        ).prepare(configuration.virtualDevices)
        if let reason = identities.volatility {
            makeLogger("Gateway").warning(
                "The state cannot be written; what is there is used, and nothing new is kept beyond this run",
                metadata: ["reason": "\(reason)"])
        }
        let network = network ?? AvahiConnection() ?? AbsentNetwork(reason: "no descriptor is left for it")
        let announcer = DeviceAnnouncer(
            network: network, blockedLevel: configuration.discovery.multicast.isEnabled ? .debug : .notice,
            logger: makeLogger("Discovery"))
        self.discovery = try await DeviceDiscovery(
            settings: configuration.discoverySettings(ownIDs: ownIDs), network: network, book: self.devices,
            events: self.events, listens: true, eventLoop: self.eventLoops.next(), logger: makeLogger("Discovery"))
        self.devices.find(by: self.discovery)
        let shares = DescriptorShares(
            configuration, eventLoops: System.coreCount, limit: descriptorLimit ?? DescriptorLimit.current.soft)
        let environment = VirtualDeviceEnvironment(
            identities: identities, registry: self.registry,
            routerSettings: configuration.routing.router, payloadText: configuration.payloadText, events: self.events,
            eventLoops: self.eventLoops, limits: configuration.senders,
            setupLimits: configuration.setupLimits, admission: shares.admission(configuration),
            drain: configuration.shutdown.drain, announcer: announcer, logger: makeLogger("VirtualDevice"))
        self.plugins = PluginFleet(
            configuration.plugins,
            context: PluginContext(
                gateway: GatewayIdentity(
                    id: configuration.gateway.id, name: configuration.gateway.name, version: version),
                registry: self.registry, events: self.events,
                internalSenders: VirtualDeviceSenders(environment.running),
                store: Self.makePluginStore(identities, makeLogger("Plugins")),
                stateDirectory: configuration.gateway.stateDirectory, launcher: launcher ?? LauncherPath.found,
                eventLoops: self.eventLoops, makeLogger: makeLogger, timings: pluginTimings))
        try self.registry.replaceAll(
            with: configuration.builtInHandlers(launch: self.launchSettings) + self.plugins.handlers)
        self.state = Mutex(
            State(
                configuration: configuration, document: document, environment: environment,
                anchors: AnchorCertificates(configuration.connections)))
        let devices = self.devices
        self.fleet = VirtualDeviceFleet(
            configuration.virtualDevices.map {
                VirtualDeviceService(
                    configuration: $0.device, target: $0.targetFactory(devices), environment: environment,
                    logger: makeLogger("VirtualDevice"),
                    wallClock: wallClock)
            })
        // From here on a copy of the one file is whole, and a loss of it would be noticed.
        try identities.remember()
        try? identities.checkpoint()
        let weakSelf = WeakGateway()
        self.multicast = MulticastService(network: network, announcer: announcer) {
            weakSelf.gateway?.configuration.needsMulticast ?? false
        }
        self.reloads = ReloadService { request in
            guard let gateway = weakSelf.gateway else { return .failure(.unavailable("the gateway stops")) }
            return await gateway.perform(request)
        }
        weakSelf.gateway = self
    }

    /// The configuration in force.
    public var configuration: GatewayConfiguration { self.state.withLock { $0.configuration } }

    /// Where the virtual devices can be reached now, by name.
    public var endpoints: [VirtualDeviceEndpoints] { self.fleet.endpoints }

    /// The root that senders must trust to accept the virtual devices.
    /// - Throws: `IdentityError`.
    public func rootCertificate() throws -> RootCertificate {
        try self.state.withLock { $0.environment.identities }.root(now: self.wallClock())
    }

    /// True while the channel to a device is open; false for one that does not exist.
    public func isOnline(_ device: String) -> Bool {
        self.devices.isOnline(device)
    }

    /// What came of asking a device to prove itself, the last time; nil while it has not been asked.
    public func authentication(of device: String) -> DeviceAuthenticationRecord? {
        self.devices.authentication(of: device)
    }

    /// The virtual devices that run now.
    var running: RunningDevices { self.state.withLock { $0.environment.running } }

    /// Sends and receives messages for what has no channel to a virtual device: plugins, bridges, the API.
    public var internalSenders: any InternalSenders { VirtualDeviceSenders(self.running) }

    /// How many senders are connected now, those too whose TLS does not stand yet.
    var senderCount: Int { self.state.withLock { $0.environment }.senderCount }

    /// Reads the configuration anew and puts it in force, while every connection and session stays.
    ///
    /// Reloads are done one after the other. A failure leaves everything as it was.
    /// - Parameter isDryRun: only says what would change.
    public func reload(isDryRun: Bool = false) async -> ReloadOutcome {
        await self.reloads.reload(nil, isDryRun: isDryRun)
    }

    /// Puts another configuration in force, as ``reload(isDryRun:)`` does with that of the file.
    public func reload(to configuration: GatewayConfiguration, isDryRun: Bool = false) async -> ReloadOutcome {
        await self.reloads.reload(configuration, isDryRun: isDryRun)
    }

    /// Sets the observer of every reload that is not a dry run; nil for none.
    func watchReloads(_ watch: ReloadWatch?) {
        self.state.withLock { $0.reloadWatch = watch }
    }

    /// True from the moment when the gateway begins to end.
    var isStopping: Bool { self.state.withLock { $0.phase == .stopping } }

    /// Runs until SIGTERM, SIGINT, or graceful shutdown of the task.
    ///
    /// Nothing here enforces `shutdown.total`: ``GatewayDaemon`` does, which can end the process.
    ///
    /// The admin listener answers from the first moment to the last, and nothing else begins before it does: a second
    /// gateway is refused without having touched a device. Devices are dialled when all virtual devices listen, since one
    /// may stand for another; the way down is the reverse. At the end the state database is closed, all of it in one file.
    /// - Parameters:
    ///   - hangUps: signals that ask for a reload, trapped by the caller before anything else.
    ///   - onReady: called once, when every virtual device can be connected to.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address is taken.
    public func run(
        hangUps: UnixSignalsSequence? = nil,
        onReady: @escaping @Sendable (_ endpoints: [VirtualDeviceEndpoints]) -> Void = { _ in }
    ) async throws {
        let settings = self.configuration.gateway
        self.makeLogger("Gateway").info(
            "Starting", metadata: ["gateway": "\(settings.id)", "name": "\(settings.name)"])
        let (dialGate, dialKeeper) = AsyncStream.makeStream(of: Never.self)
        let (reloadGate, reloadKeeper) = AsyncStream.makeStream(of: Never.self)
        let (deviceGate, deviceKeeper) = AsyncStream.makeStream(of: Never.self)
        // Before anybody can connect every plugin is ready, or has had its chance.
        self.plugins.whenTried { deviceKeeper.finish() }
        self.fleet.whenReady { endpoints in
            self.state.withLock { $0.phase = .ready }
            dialKeeper.finish()
            reloadKeeper.finish()
            self.plugins.whenRequiredAreReady { onReady(endpoints) }
        }
        let start = StartGate()
        let control = self.controlServer { place in
            self.announce(place)
            start.open()
        }
        let held: [any Service & CustomStringConvertible] = [
            self.multicast, self.plugins, AfterReady(gate: dialGate, service: self.devices),
            NetworkWatch(
                devices: self.devices, eventLoop: self.eventLoops.next(), logger: self.makeLogger("DeviceSession")),
            self.discovery, AfterReady(gate: deviceGate, service: self.fleet),
            AfterReady(gate: reloadGate, service: self.reloads),
        ]
        var services: [any Service] = [control] + held.map { start.holding($0) }
        if let hangUps {
            services.append(
                HangUpService(signals: hangUps, logger: self.makeLogger("Reload")) { _ = await self.reload() })
        }
        services.append(
            ShutdownWatch { self.state.withLock { $0.phase = .stopping } })
        let group = ServiceGroupConfiguration(
            services: services.map {
                .init(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: self.makeLogger("Gateway"))
        do {
            try await ServiceGroup(configuration: group).run()
        } catch {
            await self.closeState()
            throw error
        }
        await self.closeState()
    }

    private func announce(_ place: ControlPlace) {
        let configuration = self.configuration
        let directory = configuration.gateway.stateDirectory
        var admin: [String] = []
        var socket = AdminAddress.stateDirectory.socketPath(stateDirectory: directory) ?? ""
        switch place {
        case .socket(let path):
            socket = path
            admin = ["unix:\(RunningPath.absolute(path))"]
        case .tcp(let address): admin = ["\(address)"]
        case .nowhere: break
        }
        self.announcement?.begin(
            name: configuration.gateway.name, version: self.version, stateDirectory: directory, admin: admin,
            socket: socket)
    }

    /// Leaves the state to the next gateway: all of it in one file, and unlocked.
    private func closeState() async {
        self.announcement?.end()
        await self.devices.settleRecords()
        do {
            try self.identities.close()
        } catch {
            self.makeLogger("Gateway").warning(
                "The state database cannot be brought into one file", metadata: ["reason": "\(error)"])
        }
        self.stateLock?.release()
    }
}

/// What the reload service knows of the gateway, which owns it.
private final class WeakGateway: Sendable {
    private struct Reference {
        weak var gateway: Gateway?
    }

    private let reference = Mutex(Reference())

    var gateway: Gateway? {
        get { self.reference.withLock { $0.gateway } }
        set { self.reference.withLock { $0.gateway = newValue } }
    }
}
