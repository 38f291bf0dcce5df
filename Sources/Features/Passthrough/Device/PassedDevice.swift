package import CastDiscovery
package import GatewayConfig

/// The device behind a passthrough, as discovery knows it at the moment.
package struct PassedDevice: Sendable, Hashable {
    /// The identity; nil when any device that answers at its address is meant.
    package var identity: ExpectedDevice?
    /// The device's own record; nil for one that is written down and has not been heard.
    package let record: DeviceRecord?
    /// The subtypes that it answered to, of those that were asked for.
    package let subtypes: Set<ServiceSubtype>
    /// The addresses, best first.
    package let addresses: [DialAddress]
    /// The names of the network interfaces on which an address was heard by mDNS; an address that is written down is missing.
    package let hearing: [DialAddress: Set<String>]

    package init(
        record: DeviceRecord?, subtypes: Set<ServiceSubtype> = [], addresses: [DialAddress],
        hearing: [DialAddress: Set<String>] = [:]
    ) {
        self.record = record
        self.subtypes = subtypes
        self.addresses = addresses
        self.hearing = hearing
    }
}
