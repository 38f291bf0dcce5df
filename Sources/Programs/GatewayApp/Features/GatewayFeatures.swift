import CallerAccess
import CastDiscovery
import CastIdentity
import DeviceControl
import DeviceHosting
import DeviceSessions
import FeatureContract
import GatewayLogging
import GatewayOperations
import GatewaySettings
import GuestAccess
import HTTPFetching
import HandlerControl
import MediaLibrary
import MediaPictures
import MessageBridges
import NIOCore
import NamespaceHandlers
import PluginHosting
import VirtualDevices

/// Makes the features of a gateway and lists them. A new feature is a line in ``list``, and one in ``types`` when it has operations.
struct GatewayFeatures: Sendable {
    /// The features that have operations.
    static let types: [any GatewayFeature.Type] = [
        AccessFeature.self,
        BridgesFeature.self,
        BuiltInHandlersFeature.self,
        CataloguesFeature.self,
        DeviceAttributesFeature.self,
        DeviceControlFeature.self,
        DiscoveredDevicesFeature.self,
        DiscoveryFeature.self,
        GuestsFeature.self,
        HandlerSwitchesFeature.self,
        LaunchChoicesFeature.self,
        LoggingFeature.self,
        OverviewFeature.self,
        PicturesFeature.self,
        PluginsFeature.self,
        RealDevicesFeature.self,
        ReloadFeature.self,
        RequestsFeature.self,
    ]

    /// The features in the order in which they start, register handlers and take part in reloads; they stop in the reverse order.
    let list: [any GatewayFeature]
    /// What all features may use.
    let context: GatewayContext

    // Those that ``Gateway`` gives its callers something of, and operations about all features ask.
    let state: StateFeature
    let admission: AdmissionFeature
    let journal: JournalFeature
    let bridges: BridgesFeature
    let handlers: BuiltInHandlersFeature
    let plugins: PluginsFeature
    let devices: RealDevicesFeature
    let discovery: DiscoveryFeature
    let virtualDevices: VirtualDevicesFeature
    let reloads: ReloadFeature
    let metrics: MetricsFeature
    let discoveredDevices: DiscoveredDevicesFeature
    let api: APIListenerFeature
    let guests: GuestsFeature
    let requests: RequestsFeature
    let overview: OverviewFeature

    /// Makes the features, each behind those that it needs.
    /// - Parameters: as for ``Gateway``.
    /// - Throws: as ``Gateway``'s initialiser.
    init(
        _ context: GatewayContext, source: ConfigurationSource?,
        applyLog: @escaping @Sendable (LogConfiguration) -> Void, network: (any MulticastNetwork)?,
        announcement: RunAnnouncement?, launcher: String?, pluginTimings: PluginTimings,
        pinTimes: DevicePinStateMachine.Times, descriptorLimit: Int?
    ) async throws {
        var configuration = context.configuration.current
        self.context = context
        self.state = try StateFeature(configuration, logger: context.makeLogger("Gateway"))
        let pins = DiscoveredDevicePins(
            identities: self.state.identities, times: pinTimes, logger: context.makeLogger("Discovery"),
            wallClock: context.wallClock)
        await pins.complete(&configuration, running: [:])
        context.configuration.replace(configuration)
        let identities = self.state.identities
        self.journal = JournalFeature(context)
        self.bridges = try BridgesFeature(
            context, journal: self.journal.eventJournal, isVolatile: identities.volatility != nil)
        self.handlers = BuiltInHandlersFeature(
            context, eventLoop: context.eventLoops.any(), bridge: self.bridges)
        self.devices = try await RealDevicesFeature(context, identities: identities, launch: self.handlers.launch)
        self.admission = AdmissionFeature(configuration, descriptorLimit: descriptorLimit)
        let multicast = MulticastFeature(context, network: network)
        let access = try AccessFeature(context, identities: identities)
        let directory = self.devices.directory
        let isReachable: @Sendable (String) -> Bool = { name in
            let device = context.configuration.current.virtualDevices.first { $0.name == name }
            return device?.channelName.map(directory.isOnline) ?? true
        }
        self.guests = try await GuestsFeature(
            context, identities: identities, authority: access.authority, outbox: self.bridges.bridges.outbox,
            admission: self.admission.admission, isReachable: isReachable)
        // Keys take a moment to make; nothing should be dialled before all devices can listen.
        self.virtualDevices = try await VirtualDevicesFeature(
            context, identities: identities, admission: self.admission.admission, announcer: multicast.announcer,
            directory: self.devices.directory, rights: self.guests.desk.register.book,
            ownEndpoints: multicast.ownEndpoints)
        let connected = ConnectedSenders(running: self.virtualDevices.running, passed: self.virtualDevices.passed)
        let watch = PassthroughWatchFeature(context, directory: directory, virtualDevices: self.virtualDevices)
        self.guests.departures.follow(connected, self.guests.desk.register.book) {
            watch.sessions(on: $0, beside: $1)
        }
        self.state.warnIfVolatile()
        let launchStore = try LaunchChoiceStore(identities.database)
        let keptChoices = try launchStore.load()
        for category in [nil] + keptChoices.categories.map(Optional.some) {
            self.handlers.launch.choose(keptChoices[category], for: category)
        }
        self.discovery = try await DiscoveryFeature(
            context, multicast: multicast, book: self.devices.directory,
            virtualIDs: { [fleet = self.virtualDevices.fleet] in fleet.deviceIDs },
            launch: self.handlers.launch, ownIDs: self.virtualDevices.firstIDs)
        self.plugins = PluginsFeature(
            context, identities: identities, running: self.virtualDevices.running,
            senders: PluginSenders(
                virtual: VirtualDeviceSenders(self.virtualDevices.running), directory: directory,
                discovery: self.discovery.discovery),
            queues: self.virtualDevices.queues, discovery: self.discovery.discovery, launcher: launcher,
            timings: pluginTimings)
        let playLimits = PlayLimitsFeature(
            context.makeLogger("PlayLimits"), plays: self.handlers.plays,
            senders: VirtualDeviceSenders(self.virtualDevices.running), isReachable: isReachable)
        let switches = try HandlerSwitchesFeature(context, identities: identities)
        self.api = try await APIListenerFeature(
            context, identities: identities, authority: access.authority, events: self.journal.journal,
            admission: self.admission.admission)
        self.reloads = ReloadFeature(context, source: source)
        self.discoveredDevices = DiscoveredDevicesFeature(
            context, pins: pins, identities: identities, discovery: self.discovery.discovery,
            fleet: self.virtualDevices.fleet, follow: { [reloads = self.reloads] in await reloads.follow() })
        self.metrics = MetricsFeature(context, admission: self.admission.admission)
        let resolver = DeviceResolver(
            directory: directory, discovery: self.discovery.discovery, listing: self.discoveredDevices)
        self.guests.follow(resolver)
        let pictures = Pictures(
            version: context.version, group: context.eventLoops, providers: PluginPictures(fleet: self.plugins.fleet),
            logger: context.makeLogger("Pictures"))
        let catalogues = CataloguesFeature(context, pictures: pictures)
        self.plugins.fleet.context.operationDevices.attach { text, caller throws(OperationProblem) in
            try resolver.device(DeviceReference(text), for: caller).name
        }
        let control = DeviceControlFeature(
            context, resolver: resolver, devices: self.devices,
            senders: VirtualDeviceSenders(self.virtualDevices.running),
            door: self.bridges.door,
            prober: AddressedProbe(version: context.version, group: context.eventLoops),
            catalogues: catalogues.catalogues, pictures: pictures)
        self.requests = RequestsFeature(context)
        self.overview = OverviewFeature(
            context, resolver: resolver, connected: connected, groups: self.virtualDevices.groups,
            listing: self.discoveredDevices)
        self.list = [
            self.state,
            LoggingFeature(context, apply: applyLog),
            self.admission,
            self.requests,
            AdminListenerFeature(
                context, admission: self.admission.admission, events: self.journal.journal, announcement: announcement,
                trace: self.plugins.trace),
            access,
            self.api,
            self.journal,
            self.bridges,
            self.metrics,
            multicast,
            self.handlers,
            self.plugins,
            switches,
            self.devices,
            self.discovery,
            LaunchChoicesFeature(
                context, launch: self.handlers.launch, store: launchStore, kept: keptChoices,
                volatility: identities.volatility.map { "\($0)" },
                receiverApp: { [devices = self.devices] in devices.receiverApp },
                onChange: { [discovery = self.discovery] in try await discovery.followChoices() }),
            self.virtualDevices,
            PassthroughFeature(
                context, discovery: self.discovery.discovery, fleet: self.virtualDevices.fleet),
            watch,
            BackgroundFeature(context, directory: self.devices.directory, discovery: self.discovery),
            playLimits,
            self.discoveredDevices,
            try DeviceAttributesFeature(identities: identities, resolver: resolver),
            self.guests,
            catalogues,
            control,
            PicturesFeature(
                context, pictures: pictures, catalogues: catalogues.catalogues,
                ofDevice: { [controls = control.controls] device, caller throws(OperationProblem) in
                    try await controls.pictures(of: device, for: caller)
                }),
            KeptMessagesFeature(context, bridges: self.bridges.bridges, controls: control.controls),
            self.overview,
            ClockFeature(context),
            self.reloads,
        ]
    }
}
