import CastDiscovery
import CastWire
import DeviceControl
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewaySettings
import Logging
import NIOPosix
import SystemPrimitives
import VirtualDevices

/// The devices that `gateway.yaml` names: those of `discovery.static`, and the virtual devices of a gateway on this host.
enum ConfiguredDevices {
    /// Looks for a device by its name or id; letters count alike, large or small.
    static func find(_ name: String, in configuration: GatewayConfiguration) -> CastPlace? {
        let wanted = name.lowercased()
        if let device = configuration.discovery.staticDevices.first(where: { $0.name.lowercased() == wanted }) {
            let identity = device.id.flatMap { DeviceID($0) }.map { ExpectedDevice(id: $0) }
            return CastPlace(host: device.address.host, port: device.address.port, identity: identity)
        }
        let virtual = configuration.virtualDevices.first {
            $0.name.lowercased() == wanted || $0.friendlyName.lowercased() == wanted
        }
        guard let virtual, virtual.listen.port != 0 else { return nil }
        return CastPlace(
            host: Self.isEverywhere(virtual.listen) ? "127.0.0.1" : virtual.listen.host, port: virtual.listen.port)
    }

    /// Whether a virtual device of the configuration listens at a place, with keys of this gateway.
    static func isVirtual(_ place: CastPlace, in configuration: GatewayConfiguration) -> Bool {
        let isLocal = place.host == "localhost" || place.host == "::1" || place.host.hasPrefix("127.")
        return configuration.virtualDevices.contains { device in
            device.passedName == nil && device.listen.port == place.port
                && (device.listen.host == place.host
                    || isLocal && (Self.isEverywhere(device.listen) || device.listen.isLoopback))
        }
    }

    private static func isEverywhere(_ address: ListenAddress) -> Bool {
        ["0.0.0.0", "::", "*", ""].contains(address.host)
    }
}

/// A search of the network by the Avahi daemon of this machine, as the gateway searches.
struct DeviceSearch {
    let events = EventBus()
    let discovery: DeviceDiscovery
    private let network: AvahiConnection

    /// Makes a search of some settings, which hears without being passive; nil when no descriptor is left.
    init?(_ settings: DiscoverySettings) async throws {
        guard let network = AvahiConnection() else { return nil }
        var settings = settings
        settings.isEnabled = true
        settings.isPassive = false
        self.network = network
        self.discovery = try await DeviceDiscovery(
            settings: settings, network: network, book: NoAddressRegistry(), events: self.events,
            eventLoop: MultiThreadedEventLoopGroup.singleton.next(),
            logger: Logger(label: "castway") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Looks for a device by its name or id, as long as a daemon is there to hear it.
    /// - Parameter configuration: its discovery section holds; nil restricts nothing.
    static func find(
        _ name: String, _ configuration: GatewayConfiguration?, timeout: Duration
    ) async throws -> CastPlace? {
        let settings = configuration?.discoverySettings(ownIDs: []) ?? DiscoverySettings()
        guard let search = try await DeviceSearch(settings) else { return nil }
        let blocks = search.events.subscribe { if case .discoveryBlocked = $0 { true } else { false } }
        try await search.start()
        let found = await race {
            await search.discovery.find(name, timeout: timeout)
        } against: {
            // Without a daemon there is nothing to wait for.
            for await _ in blocks.events { break }
            return nil
        }
        try await search.stop()
        guard let found, let address = found.addresses.first else { return nil }
        return CastPlace(host: address.host, port: address.port, identity: found.identity(as: name))
    }

    func start() async throws {
        self.network.start()
        try await self.discovery.start()
    }

    func stop() async throws {
        try await self.discovery.stop()
        await self.network.stop()
    }
}

/// A command relays to none of the devices that it lists, so their addresses are not kept.
private struct NoAddressRegistry: DeviceAddressRegistry {
    func update(device: String, candidates: [DeviceAddress], isAnnounced: Bool) {}
    func note(identity: ExpectedDevice?, of device: String) {}
    func note(showsVideo: Bool?, of device: String) {}
    func ask(for apps: [AppID]) {}
}
