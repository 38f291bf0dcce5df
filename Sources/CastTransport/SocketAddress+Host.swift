public import NIOCore

extension SocketAddress {
    /// The address without its port. An IPv4 address that came through an IPv6 socket (`::ffff:192.0.2.7`) is given as
    /// IPv4, so that one sender has one address.
    public var host: String {
        guard let text = self.ipAddress else { return "unknown" }
        let mapped = "::ffff:"
        guard text.hasPrefix(mapped), text.contains(".") else { return text }
        return String(text.dropFirst(mapped.count))
    }
}
