import BuiltInReceiver
import CastDiscovery
import CastWire
public import DeviceSessions
import GatewayConfig
import GatewayCore
import VirtualDevices

extension GatewayConfiguration {
    /// What discovery is to do.
    /// - Parameter ownIDs: the ids of Castway's own virtual devices, which come back from the network.
    public func discoverySettings(ownIDs: some Sequence<String>) -> DiscoverySettings {
        let discovery = self.discovery
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
                criteria: DiscoveryCriteria(apps: discovery.receiverApp.map { [AppID(rawValue: $0)] } ?? [])),
            ignored: Set(ownIDs.compactMap { DeviceID($0) }), targets: Set(self.virtualDevices.compactMap(\.targetName))
        )
    }

    /// Whether anything is to be found or announced by mDNS.
    var needsMulticast: Bool {
        self.discovery.multicast.isEnabled || self.virtualDevices.contains { $0.publish && !$0.listen.isLoopback }
    }
}

extension VirtualDeviceConfiguration {
    /// The real device that it relays to; nil for the built-in receiver.
    var targetName: String? {
        if case .device(let name) = self.target { name } else { nil }
    }

    /// What makes the device's target.
    /// - Parameter devices: the real devices.
    func targetFactory(_ devices: any DeviceDirectory) -> any DeviceTargetFactory {
        switch self.target {
        case .local: LocalReceiverFactory(self.receiver)
        case .device(let name):
            RelayTargetFactory(
                name: name, allowedApps: self.apps?.map { AppID(rawValue: $0.id) }, directory: devices)
        }
    }
}

extension Gateway {
    /// The devices that are known, found or written down, and how they are searched for.
    public var deviceDiscovery: DeviceDiscovery { self.discovery }

    /// The ids under which the virtual devices that run are announced.
    public var deviceIDs: [String] { self.fleet.current.values.compactMap(\.deviceID).sorted() }

    /// Puts what a new configuration says of discovery in force.
    func configureDiscovery(_ configuration: GatewayConfiguration) async throws {
        self.multicast.startIfNeeded()
        try await self.discovery.configure(configuration.discoverySettings(ownIDs: self.deviceIDs))
    }
}
