public import CastDiscovery

/// A device that is named in the configuration, for networks without multicast.
public struct StaticEntry: Hashable, Sendable {
    /// The name in `gateway.yaml`.
    public let name: String
    /// Where it is dialled while nothing better is known.
    public let address: DeviceAddress
    /// The device's id, when it is known; the device that announces itself under it is the same.
    public let id: DeviceID?

    /// Makes an entry.
    public init(name: String, address: DeviceAddress, id: DeviceID? = nil) {
        self.name = name
        self.address = address
        self.id = id
    }
}
