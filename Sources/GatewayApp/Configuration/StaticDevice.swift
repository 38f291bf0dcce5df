public import GatewayConfig

/// `discovery.static[]`: a real device at a known address.
public struct StaticDevice: Sendable, Equatable {
    /// The name by which `target: {device: NAME}` means it.
    public var name: String
    /// Where it answers.
    public var address: DialAddress
    /// `id`: the id that it announces itself under, where it does; nil when that is not known.
    public var id: String?

    /// Makes a device from its parts.
    public init(name: String, address: DialAddress, id: String? = nil) {
        self.name = name
        self.address = address
        self.id = id
    }
}
