public import CastDiscovery
public import GatewayConfig

/// What discovery knows of the device behind a passthrough at the moment.
public struct PassedDevice: Sendable, Hashable {
    /// Which device it is; nil when any that answers at its address is meant.
    public var identity: ExpectedDevice?
    /// What the device says of itself; nil for one that is written down and has not been heard.
    public let record: DeviceRecord?
    /// What it answers to of the subtypes that were asked for.
    public let subtypes: Set<ServiceSubtype>
    /// Where it is reached, best first.
    public let addresses: [DialAddress]
    /// The names of the network interfaces on which an address was heard by mDNS; an address that is written down is missing.
    public let hearing: [DialAddress: Set<String>]

    /// Describes a device.
    public init(
        record: DeviceRecord?, subtypes: Set<ServiceSubtype> = [], addresses: [DialAddress],
        hearing: [DialAddress: Set<String>] = [:]
    ) {
        self.record = record
        self.subtypes = subtypes
        self.addresses = addresses
        self.hearing = hearing
    }
}
