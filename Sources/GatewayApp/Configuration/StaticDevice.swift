public import GatewayConfig

/// `discovery.static[]`: a real device at a known address.
public struct StaticDevice: Sendable, Equatable {
    /// The name by which `target: {device: NAME}` means it.
    public var name: String
    /// Where it answers.
    public var address: DialAddress

    /// Makes a device from its parts.
    public init(name: String, address: DialAddress) {
        self.name = name
        self.address = address
    }
}
