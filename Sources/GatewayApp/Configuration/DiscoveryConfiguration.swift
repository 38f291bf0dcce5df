/// `discovery`: where real devices are found.
public struct DiscoveryConfiguration: Sendable, Equatable {
    /// `static`: devices at known addresses.
    public var staticDevices: [StaticDevice]

    /// Makes a configuration from its parts.
    public init(staticDevices: [StaticDevice] = []) {
        self.staticDevices = staticDevices
    }
}
