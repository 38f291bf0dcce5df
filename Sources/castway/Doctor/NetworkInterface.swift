import Glibc

/// A network interface of this machine.
struct NetworkInterface: Sendable, Equatable {
    let name: String
    var isUp: Bool
    var isLoopback: Bool
    var hasMulticast: Bool
    /// IPv4 and IPv6, as text, link-local ones too.
    var addresses: [String]

    /// Whether devices may be found and reached through it.
    var isUsable: Bool { self.isUp && self.hasMulticast && !self.addresses.isEmpty }

    var hasIPv6: Bool { self.addresses.contains { $0.contains(":") } }

    /// All interfaces, in the order in which the system lists them.
    static func all() -> [NetworkInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var interfaces: [NetworkInterface] = []
        var entry = first
        while let current = entry {
            entry = current.pointee.ifa_next
            let name = String(cString: current.pointee.ifa_name)
            let flags = current.pointee.ifa_flags
            var index = interfaces.firstIndex { $0.name == name }
            if index == nil {
                interfaces.append(
                    NetworkInterface(
                        name: name, isUp: flags & UInt32(IFF_UP) != 0,
                        isLoopback: flags & UInt32(IFF_LOOPBACK) != 0,
                        hasMulticast: flags & UInt32(IFF_MULTICAST) != 0, addresses: []))
                index = interfaces.count - 1
            }
            if let index, let address = Self.text(of: current.pointee.ifa_addr) {
                interfaces[index].addresses.append(address)
            }
        }
        return interfaces
    }

    private static func text(of address: UnsafeMutablePointer<sockaddr>?) -> String? {
        guard let address else { return nil }
        let length: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = getnameinfo(
            address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        guard code == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
