internal import Glibc

/// The addresses and names under which a machine reaches itself.
package struct MachineAddresses: Sendable, Equatable {
    /// Its addresses, apart from those of the loopback interface.
    package let addresses: Set<IPAddress>
    /// Its names, in lower case.
    package let names: Set<String>
    /// The IPv4 address from which it reaches other networks: that of its default route; nil without one.
    package let outward: IPAddress?

    let loopback4 = IPAddress(bytes: [127, 0, 0, 1])
    let loopback6 = IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1])

    /// Describes a machine; one without addresses of its own has those of the loopback interface alone.
    package init(addresses: Set<IPAddress> = [], names: Set<String> = [], outward: IPAddress? = nil) {
        self.addresses = addresses
        self.outward = outward
        self.names = Set(names.map { $0.lowercased() })
    }

    /// The addresses of this machine now.
    package static var current: MachineAddresses {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return MachineAddresses(names: Self.hostNames) }
        defer { freeifaddrs(list) }
        var addresses: Set<IPAddress> = []
        var next = list
        while let entry = next {
            if let address = Self.address(entry.pointee.ifa_addr) { addresses.insert(address) }
            next = entry.pointee.ifa_next
        }
        return MachineAddresses(addresses: addresses, names: Self.hostNames, outward: Self.outwardAddress)
    }

    /// True if a connection to the address ends at this machine.
    func has(_ address: IPAddress) -> Bool {
        let isLoopback = address.bitWidth == 32 ? address.bytes[0] == 127 : address == self.loopback6
        return isLoopback || self.addresses.contains(address)
    }

    /// True if the name is one of this machine.
    func isNamed(_ name: String) -> Bool { self.names.contains(name) }

    /// The machine's own name, and the one that mDNS gives it then.
    private static var hostNames: Set<String> {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return [] }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard !name.isEmpty else { return [] }
        return [name, "\(name.split(separator: ".").first ?? "").local"]
    }

    /// Asked of the kernel's routes by a datagram socket, which sends nothing: connecting it only chooses its own address.
    private static var outwardAddress: IPAddress? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(9).bigEndian
        // TEST-NET-1 (RFC 5737): no network has it, so the default route is meant.
        address.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard connect(socket, generic, length) == 0, getsockname(socket, generic, &length) == 0 else {
                    return nil
                }
                return Self.address(generic)
            }
        }
    }

    private static func address(_ pointer: UnsafeMutablePointer<sockaddr>?) -> IPAddress? {
        guard let pointer else { return nil }
        let raw = UnsafeRawPointer(pointer)
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET:
            let address = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            return IPAddress(bytes: withUnsafeBytes(of: address) { Array($0) })
        case AF_INET6:
            let address = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return IPAddress(bytes: withUnsafeBytes(of: address) { Array($0) })
        default: return nil
        }
    }
}
