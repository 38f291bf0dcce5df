/// `discovery.mdns`: how devices are searched for.
public struct MulticastConfiguration: Sendable, Equatable {
    /// `enabled`: whether they are. Default true.
    public var isEnabled: Bool
    /// `passive`: whether the gateway only listens to what devices announce, rather than asking every ten seconds.
    /// Default true.
    public var isPassive: Bool
    /// `interfaces`: the network interfaces to listen on; empty for all.
    public var interfaces: [String]

    /// Makes a configuration from its parts; each has the default of `gateway.yaml`.
    public init(isEnabled: Bool = true, isPassive: Bool = true, interfaces: [String] = []) {
        self.isEnabled = isEnabled
        self.isPassive = isPassive
        self.interfaces = interfaces
    }
}
