import NIOCore

/// Where announcements are listened to: one interface in one protocol.
struct ListeningPlace: Hashable {
    let interfaceName: String
    let interface: Int
    let family: AddressFamily

    /// The address and port of mDNS there (RFC 6762, section 3).
    func group() throws -> SocketAddress {
        switch self.family {
        case .ipv4: try SocketAddress(ipAddress: "224.0.0.251", port: Self.port)
        case .ipv6: try SocketAddress(ipAddress: "ff02::fb%\(self.interfaceName)", port: Self.port)
        }
    }

    static let port = 5353
}

extension ListeningPlace {
    /// The place that an address of an interface stands for; nil for those in which nothing is heard.
    init?(_ device: NIONetworkDevice) {
        guard device.multicastSupported else { return nil }
        switch device.address {
        case .v4: self.init(interfaceName: device.name, interface: device.interfaceIndex, family: .ipv4)
        case .v6: self.init(interfaceName: device.name, interface: device.interfaceIndex, family: .ipv6)
        default: return nil
        }
    }
}
