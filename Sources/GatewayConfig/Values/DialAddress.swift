/// An address to connect to: `host`, `host:port`, `[v6]` or `[v6]:port`; the port defaults to 8009, the Cast port.
public struct DialAddress: Sendable, Hashable, CustomStringConvertible {
    /// The port of a Cast device when the address names none (PROTOCOL notes 1).
    public static let castPort = 8009

    /// An IPv4 or IPv6 address (without brackets) or a host name.
    public var host: String
    /// 1 to 65535.
    public var port: Int

    /// Makes an address from its parts.
    public init(host: String, port: Int = DialAddress.castPort) {
        self.host = host
        self.port = port
    }

    /// The address with its port, an IPv6 host in brackets.
    public var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
