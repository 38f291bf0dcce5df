package import CastDiscovery

/// The `discovery` section of `gateway.yaml`, and what follows from the rest of it.
package struct DiscoverySettings: Hashable, Sendable {
    /// True if devices are searched for by mDNS.
    package var isEnabled: Bool
    /// True if it only listens, beyond the questions that the daemon asks by itself.
    package var isPassive: Bool
    /// The network interfaces to listen on; empty for all.
    package var interfaces: [String]
    /// The devices at known addresses.
    package var statics: [StaticEntry]
    package var filter: DeviceFilter
    /// Castway's own virtual devices.
    package var ignored: Set<DeviceID>
    /// The targets of virtual devices: names of static entries, friendly names or ids.
    package var targets: Set<String>

    package init(
        isEnabled: Bool = true, isPassive: Bool = true, interfaces: [String] = [], statics: [StaticEntry] = [],
        filter: DeviceFilter = DeviceFilter(), ignored: Set<DeviceID> = [], targets: Set<String> = []
    ) {
        self.isEnabled = isEnabled
        self.isPassive = isPassive
        self.interfaces = interfaces
        self.statics = statics
        self.filter = filter
        self.ignored = ignored
        self.targets = targets
    }
}

/// A device that is named in the configuration, or by a plugin, for networks without multicast.
package struct StaticEntry: Hashable, Sendable {
    /// The name in `gateway.yaml`.
    package let name: String
    /// The address that is dialled while nothing better is known.
    package let address: DeviceAddress
    /// The device's id, when it is known; the device that announces itself under it is the same.
    package let id: DeviceID?
    /// The source: nil for `gateway.yaml`, `plugin:NAME` for a plugin.
    package let source: String?

    package init(name: String, address: DeviceAddress, id: DeviceID? = nil, source: String? = nil) {
        self.source = source
        self.name = name
        self.address = address
        self.id = id
    }
}
