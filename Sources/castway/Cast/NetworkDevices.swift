import CastDiscovery
import DeviceSessions
import GatewayApp
import GatewayCore
import Logging
import NIOPosix

/// The devices that are heard on the network, through the Avahi daemon of this machine.
struct NetworkDevices: DeviceFinder {
    /// The file whose `discovery` section holds; one that is missing restricts nothing.
    let path: String

    func find(_ name: String, timeout: Duration) async throws -> CastPlace? {
        var settings =
            ConfigurationFile.load(self.path).configuration?.discoverySettings(ownIDs: []) ?? DiscoverySettings()
        settings.isEnabled = true
        settings.isPassive = false
        guard let network = AvahiConnection() else { return nil }
        let events = EventBus()
        let discovery = try await DeviceDiscovery(
            settings: settings, network: network, book: NoAddressBook(), events: events,
            eventLoop: MultiThreadedEventLoopGroup.singleton.next(),
            logger: Logger(label: "castway") { _ in SwiftLogNoOpLogHandler() })
        let subscription = events.subscribe { if case .discoveryBlocked = $0 { true } else { false } }
        network.start()
        try await discovery.start()
        let found = await withTaskGroup(of: DiscoveredDevice?.self) { group in
            group.addTask { await discovery.find(name, timeout: timeout) }
            // Without a daemon there is nothing to wait for.
            group.addTask {
                for await _ in subscription.events { return nil }
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        try await discovery.stop()
        await network.stop()
        guard let address = found?.addresses.first else { return nil }
        return CastPlace(host: address.host, port: address.port)
    }
}
