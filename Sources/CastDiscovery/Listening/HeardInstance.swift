/// A Cast device that a message of mDNS names.
public struct HeardInstance: Hashable, Sendable {
    /// The name of its service instance, as ``CastService/folded(instance:)`` makes it.
    public let name: String
    /// The port of its Cast channel, when the message says that the device is where the message came from; nil otherwise.
    public let port: Int?

    /// Makes one.
    public init(name: String, port: Int? = nil) {
        self.name = name
        self.port = port
    }
}
