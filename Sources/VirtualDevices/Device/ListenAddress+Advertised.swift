import GatewayConfig
import NIOCore

extension ListenAddress {
    /// The address under which others reach a listener: its own, or for a wildcard the machine's first that is not
    /// loopback; empty when there is none.
    var advertisedHost: String {
        guard ["0.0.0.0", "::", ""].contains(self.host) else { return self.host }
        let addresses = (try? System.enumerateDevices())?.compactMap(\.address) ?? []
        return addresses.compactMap(\.ipAddress).first { $0.contains(".") && !$0.hasPrefix("127.") } ?? ""
    }
}
