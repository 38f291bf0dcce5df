import CastDiscovery
import CastWire
import DeviceSessions
import GatewayApp
import GatewayConfig
import GatewayCore
import Logging
import NIOPosix
import VirtualDevices

/// Finds a device by its name or id.
protocol DeviceFinder {
    /// Looks for a device.
    /// - Parameters:
    ///   - name: What people call it, or its id; letters count alike, large or small.
    ///   - timeout: How long the search may take.
    /// - Returns: where it answers; nil when it is not there.
    func find(_ name: String, timeout: Duration) async throws -> CastPlace?
}

/// All ways to find a device, in the order in which they are tried.
enum DeviceFinders {
    /// - Parameter configuration: the file that may name devices.
    static func all(configuration: String) -> [any DeviceFinder] {
        [ConfiguredDevices(path: configuration), NetworkDevices(path: configuration)]
    }
}

/// The devices that `gateway.yaml` names: those of `discovery.static`, and the virtual devices of a gateway on this host.
struct ConfiguredDevices: DeviceFinder {
    /// The file; one that is missing names none.
    let path: String

    func find(_ name: String, timeout: Duration) async throws -> CastPlace? {
        guard let configuration = ConfigurationFile.load(self.path).configuration else { return nil }
        return Self.find(name, in: configuration)
    }

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
        guard let found, let address = found.addresses.first else { return nil }
        return CastPlace(host: address.host, port: address.port, identity: found.identity(as: name))
    }
}

/// A command relays to none of the devices that it lists, so their addresses are not kept.
struct NoAddressBook: DeviceAddressBook {
    func update(device: String, candidates: [DeviceAddress], isAnnounced: Bool) {}
    func note(identity: ExpectedDevice?, of device: String) {}
    func note(showsVideo: Bool?, of device: String) {}
    func ask(for apps: [AppID]) {}
}
