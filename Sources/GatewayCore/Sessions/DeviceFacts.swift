/// What a handler may know of the virtual device that a message passes.
public final class DeviceFacts: Sendable {
    /// The name in `gateway.yaml`.
    public let name: String
    /// The real device behind it; nil for the built-in receiver.
    public let target: String?
    /// What it says of itself.
    public let description: any DeviceDescription

    /// Collects the facts.
    public init(name: String, target: String?, description: any DeviceDescription) {
        self.name = name
        self.target = target
        self.description = description
    }
}
