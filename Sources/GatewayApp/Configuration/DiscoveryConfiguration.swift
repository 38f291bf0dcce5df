public import GatewayConfig

/// `discovery`: where real devices are found.
public struct DiscoveryConfiguration: Sendable, Equatable {
    /// `mdns`: how devices are searched for.
    public var multicast: MulticastConfiguration
    /// `static`: devices at known addresses.
    public var staticDevices: [StaticDevice]
    /// `receiver_app`: the app that devices have to have, and that a new session launches; nil for any.
    public var receiverApp: String?
    /// `allow`: names or ids of the devices that are listed; empty for all.
    public var allow: [Glob]
    /// `deny`: names or ids of devices that are not listed.
    public var deny: [Glob]

    /// Makes a configuration from its parts; each has the default of `gateway.yaml`.
    public init(
        multicast: MulticastConfiguration = MulticastConfiguration(), staticDevices: [StaticDevice] = [],
        receiverApp: String? = nil, allow: [Glob] = [], deny: [Glob] = []
    ) {
        self.multicast = multicast
        self.staticDevices = staticDevices
        self.receiverApp = receiverApp
        self.allow = allow
        self.deny = deny
    }
}
