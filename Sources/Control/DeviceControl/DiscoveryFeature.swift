package import CastDiscovery
package import CastWire
package import DeviceSessions
package import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations
import GatewaySettings
import Logging
import NIOCore
import NIOPosix
package import NamespaceHandlers
import ServiceLifecycle
import Synchronization
package import VirtualDevices

/// The connection to the mDNS daemon, kept as long as the gateway runs, from the moment when something needs it.
///
/// Before plugins and devices in the list, so that virtual devices are withdrawn from the network before it goes.
package final class MulticastFeature: GatewayFeature, Service, CustomStringConvertible {
    private enum Phase {
        case waiting, started, stopped
    }

    package let name = "mDNS"
    /// Where devices are found and announced.
    let network: any MulticastNetwork
    /// Announces the virtual devices.
    package let announcer: DeviceAnnouncer
    /// Where virtual devices are announced under the ids of real ones.
    package let ownEndpoints = OwnEndpoints()
    private let configuration: CurrentConfiguration
    private let logger: Logger
    private let phase = Mutex(Phase.waiting)

    /// - Parameter network: nil for the network that Avahi knows.
    package init(_ context: GatewayContext, network: (any MulticastNetwork)?) {
        let network = network ?? AvahiConnection() ?? AbsentNetwork(reason: "no descriptor is left for it")
        let isSearching = context.configuration.current.discovery.multicast.isEnabled
        self.configuration = context.configuration
        self.logger = context.makeLogger("Discovery")
        self.network = network
        self.announcer = DeviceAnnouncer(
            network: network, blockedLevel: isSearching ? .debug : .notice, logger: self.logger)
    }

    package var description: String { self.name }

    package func services(among features: [any GatewayFeature]) -> [StagedService] { [StagedService(.alone, self)] }

    /// Connects when devices are to be found or announced, and it has not been done yet.
    func startIfNeeded() {
        if self.configuration.current.needsMulticast { self.start() }
    }

    /// Connects when it has not been done yet.
    func start() {
        let begins = self.phase.withLock { phase in
            guard phase == .waiting else { return false }
            phase = .started
            return true
        }
        if begins { self.network.start() }
    }

    package var warnings: [GatewayWarning] {
        get async {
            await self.obstacle().map { [GatewayWarning(.multicastLimited, "\($0); castway doctor says what to do")] }
                ?? []
        }
    }

    package func run() async throws {
        self.startIfNeeded()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watchMemberships() }
            try? await gracefulShutdown()
            group.cancelAll()
        }
        self.announcer.stop()
        let isStarted = self.phase.withLock { phase in
            defer { phase = .stopped }
            return phase == .started
        }
        if isStarted { await self.network.stop() }
    }

    // MARK: Interfaces

    /// Networks come while the gateway runs; they are counted this often.
    private static let countInterval = Duration.seconds(60)

    /// Why the daemon takes part in some networks alone; nil when it is not needed, or not kept from any.
    private func obstacle() async -> String? {
        guard self.phase.withLock({ $0 }) == .started else { return nil }
        return try? await NIOThreadPool.singleton.runIfActive { MulticastMemberships.current.problem }
    }

    private func watchMemberships() async {
        var told: String?
        repeat {
            let obstacle = await self.obstacle()
            if let obstacle, obstacle != told {
                self.logger.warning(
                    "Devices are neither found nor announced in some network interfaces",
                    metadata: ["reason": "\(obstacle)", "advice": "\(MulticastMemberships.advice)"])
            }
            told = obstacle
        } while (try? await Task.sleep(for: Self.countInterval)) != nil
    }
}

/// The devices that are known, found or written down, and how they are searched for.
package final class DiscoveryFeature: OperatingFeature {
    package let name = "discovery"
    /// The devices and the search.
    package let discovery: DeviceDiscovery
    private let multicast: MulticastFeature
    private let virtualIDs: @Sendable () -> [String]
    private let events: EventBus
    private let configuration: CurrentConfiguration
    private let launch: LaunchSettings

    /// - Parameters:
    ///   - book: told where the targets of virtual devices are, and where others may be looked up.
    ///   - virtualIDs: the ids of the virtual devices that run, which come back from the network.
    ///   - launch: knows which app was chosen.
    ///   - ownIDs: the ids of the virtual devices that will run first.
    /// - Throws: when an event loop has been shut down.
    package init(
        _ context: GatewayContext, multicast: MulticastFeature, book: DeviceSessionDirectory,
        virtualIDs: @escaping @Sendable () -> [String], launch: LaunchSettings, ownIDs: [String]
    ) async throws {
        self.configuration = context.configuration
        self.launch = launch
        self.multicast = multicast
        self.virtualIDs = virtualIDs
        self.events = context.events
        self.discovery = try await DeviceDiscovery(
            settings: context.configuration.current.discoverySettings(ownIDs: ownIDs, chosenApp: launch.receiverApp),
            network: multicast.network, book: book, events: context.events, listens: true,
            ownEndpoints: multicast.ownEndpoints, eventLoop: context.eventLoops.next(),
            logger: context.makeLogger("Discovery"))
        book.find(by: self.discovery)
    }

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        // The journal records by now, and nothing is searched for yet.
        self.events.castState.begin(deviceCount: self.discovery.devices.count)
        return [StagedService(.alone, self.discovery)]
    }

    package static let offered: [Offer<DiscoveryFeature>] = [
        Offer { StartDiscovery(feature: $0) },
        Offer { StopDiscovery(feature: $0) },
    ]

    package var warnings: [GatewayWarning] {
        get async {
            guard case .blocked(let reason) = self.discovery.state else { return [] }
            return [GatewayWarning(.discoveryBlocked, "devices cannot be found at the moment: \(reason)")]
        }
    }

    /// Searches from now on, whatever the configuration says of it.
    /// - Throws: when an event loop has been shut down.
    func start() async throws {
        self.multicast.start()
        try await self.discovery.start()
    }

    /// Lists the devices that have the app which is used from now on.
    /// - Throws: when an event loop has been shut down.
    package func followChoices() async throws {
        let configuration = self.configuration.current
        try await self.discovery.configure(
            configuration.discoverySettings(ownIDs: self.virtualIDs(), chosenApp: self.launch.receiverApp))
    }

    package func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let new = change.new
        return PreparedChange(settle: {
            // The virtual devices of the new configuration have their ids by now.
            self.multicast.startIfNeeded()
            try await self.discovery.configure(
                new.discoverySettings(ownIDs: self.virtualIDs(), chosenApp: self.launch.receiverApp))
        })
    }
}

extension GatewayConfiguration {
    /// What discovery is to do.
    /// - Parameters:
    ///   - ownIDs: the ids of Castway's own virtual devices, which come back from the network.
    ///   - chosenApp: the app that was chosen in the place of those of the file.
    package func discoverySettings(
        ownIDs: some Sequence<String>, chosenApp: AppID? = nil
    ) -> DiscoverySettings {
        let discovery = self.discovery
        let apps = chosenApp.map { [$0] } ?? discovery.apps.map { AppID(rawValue: $0) }
        return DiscoverySettings(
            isEnabled: discovery.multicast.isEnabled, isPassive: discovery.multicast.isPassive,
            interfaces: discovery.multicast.interfaces,
            statics: discovery.staticDevices.map {
                StaticEntry(
                    name: $0.name, address: DeviceAddress(host: $0.address.host, port: $0.address.port),
                    id: $0.id.flatMap { DeviceID($0) })
            },
            filter: DeviceFilter(
                allow: discovery.allow, deny: discovery.deny,
                criteria: DiscoveryCriteria(
                    apps: apps, namespaces: discovery.namespaces.map { Namespace(rawValue: $0) })),
            ignored: Set(ownIDs.compactMap { DeviceID($0) }),
            targets: Set(self.virtualDevices.compactMap(\.channelName))
        )
    }

    /// Whether anything is to be found or announced by mDNS.
    fileprivate var needsMulticast: Bool {
        self.discovery.multicast.isEnabled || self.virtualDevices.contains { $0.publish && !$0.listen.isLoopback }
    }
}
