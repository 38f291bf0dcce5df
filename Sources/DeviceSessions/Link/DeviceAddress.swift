/// Where a device is dialled.
public struct DeviceAddress: Sendable, Hashable, CustomStringConvertible {
    /// An address or a name.
    public let host: String
    /// The port of its Cast channel.
    public let port: Int

    /// Makes an address.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// `host:port`, for logs.
    public var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
