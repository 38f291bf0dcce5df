internal import Glibc

/// The addresses and names under which a machine reaches itself.
public struct MachineAddresses: Sendable, Equatable {
    /// Its addresses, apart from those of the loopback interface.
    public let addresses: Set<IPAddress>
    /// Its names, in lower case.
    public let names: Set<String>

    /// `127.0.0.1`
    let loopback4 = IPAddress(bytes: [127, 0, 0, 1])
    /// `::1`
    let loopback6 = IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1])

    /// Describes a machine; one without addresses of its own has those of the loopback interface alone.
    public init(addresses: Set<IPAddress> = [], names: Set<String> = []) {
        self.addresses = addresses
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Those of this machine now.
    public static var current: MachineAddresses {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return MachineAddresses(names: Self.hostNames) }
        defer { freeifaddrs(list) }
        var addresses: Set<IPAddress> = []
        var next = list
        while let entry = next {
            if let address = Self.address(entry.pointee.ifa_addr) { addresses.insert(address) }
            next = entry.pointee.ifa_next
        }
        return MachineAddresses(addresses: addresses, names: Self.hostNames)
    }

    /// Whether a connection to the address ends at this machine.
    func has(_ address: IPAddress) -> Bool {
        let isLoopback = address.bitWidth == 32 ? address.bytes[0] == 127 : address == self.loopback6
        return isLoopback || self.addresses.contains(address)
    }

    /// Whether the name is one of this machine.
    func isNamed(_ name: String) -> Bool { self.names.contains(name) }

    /// What the machine calls itself, and what mDNS calls it then.
    private static var hostNames: Set<String> {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return [] }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard !name.isEmpty else { return [] }
        return [name, "\(name.split(separator: ".").first ?? "").local"]
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
