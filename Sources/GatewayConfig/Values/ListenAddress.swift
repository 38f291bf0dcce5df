/// An address to listen on: `host:port`, or `[v6]:port`.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// An IPv4 or IPv6 address (without brackets) or a host name.
    public var host: String
    /// 0 to 65535; 0 lets the system choose a free port.
    public var port: Int

    /// Makes an address from its parts.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// The address as it is written in `gateway.yaml`, an IPv6 host in brackets.
    public var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
