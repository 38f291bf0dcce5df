public import CastDiscovery

/// What `gateway.yaml` says of discovery, and what follows from the rest of it.
public struct DiscoverySettings: Hashable, Sendable {
    /// Whether devices are searched for by mDNS.
    public var isEnabled: Bool
    /// Whether it only listens, beyond the questions that the daemon asks by itself.
    public var isPassive: Bool
    /// The network interfaces to listen on; empty for all.
    public var interfaces: [String]
    /// The devices at known addresses.
    public var statics: [StaticEntry]
    /// Which devices are listed.
    public var filter: DeviceFilter
    /// Castway's own virtual devices.
    public var ignored: Set<DeviceID>
    /// What virtual devices relay to: names of static entries, friendly names or ids.
    public var targets: Set<String>

    /// Makes settings.
    public init(
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
public struct StaticEntry: Hashable, Sendable {
    /// The name in `gateway.yaml`.
    public let name: String
    /// Where it is dialled while nothing better is known.
    public let address: DeviceAddress
    /// The device's id, when it is known; the device that announces itself under it is the same.
    public let id: DeviceID?
    /// Who says so: nil for `gateway.yaml`, `plugin:NAME` for a plugin.
    public let source: String?

    /// Makes an entry.
    public init(name: String, address: DeviceAddress, id: DeviceID? = nil, source: String? = nil) {
        self.source = source
        self.name = name
        self.address = address
        self.id = id
    }
}
