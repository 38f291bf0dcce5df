import CastDiscovery
import CastIdentity
import DeviceSessions
import GatewayOperations
import HTTPFetching
import MediaPictures
import MessageBridges
import NIOCore
import NamespaceHandlers
import PluginHosting
import VirtualDevices

/// Makes the features of a gateway and lists them. A new feature is a line in ``list``.
struct GatewayFeatures: Sendable {
    /// The features in the order in which they start, register handlers and take part in reloads; they stop in the reverse order.
    let list: [any GatewayFeature]
    /// What all features may use.
    let context: GatewayContext

    // Those that ``Gateway`` gives its callers something of.
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
            context, multicast: multicast, book: self.devices.directory, fleet: self.virtualDevices.fleet,
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
            fleet: self.virtualDevices.fleet, reloads: self.reloads)
        self.metrics = MetricsFeature(
            context,
            MetricsFeature.Sources(
                identities: identities, admission: self.admission.admission, devices: directory,
                fleet: self.virtualDevices.fleet, running: self.virtualDevices.running,
                passed: self.virtualDevices.passed, streams: self.virtualDevices.streams, plugins: self.plugins.fleet,
                journal: self.journal.eventJournal,
                bridges: BridgeMetrics(bridges: self.bridges.bridges, refusals: self.bridges.refusals)))
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
            context, resolver: resolver, devices: self.devices, virtualDevices: self.virtualDevices,
            door: self.bridges.door,
            prober: AddressedProbe(version: context.version, group: context.eventLoops),
            catalogues: catalogues.catalogues, pictures: pictures)
        self.list = [
            self.state,
            LoggingFeature(context, apply: applyLog),
            self.admission,
            RequestsFeature(context),
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
                volatility: identities.volatility.map { "\($0)" }, discovery: self.discovery, devices: self.devices),
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
            PicturesFeature(context, pictures: pictures, controls: control.controls),
            HostKeysFeature(context),
            KeptMessagesFeature(context, bridges: self.bridges.bridges, controls: control.controls),
            OverviewFeature(
                context, resolver: resolver, connected: connected,
                groups: self.virtualDevices.groups, listing: self.discoveredDevices),
            ClockFeature(context),
            self.reloads,
        ]
    }
}
