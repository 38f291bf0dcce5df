import Glibc

/// The network interfaces of this host, as far as it matters to multicast.
enum HostInterfaces {
    /// Returns true if an interface beside the loopback is up with an address and multicast.
    /// - Parameter names: those that count; empty for all.
    static func hasMulticast(among names: [String]) -> Bool {
        var first: UnsafeMutablePointer<ifaddrs>?
        // What cannot be asked is not missing.
        guard getifaddrs(&first) == 0 else { return true }
        defer { freeifaddrs(first) }
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            let flags = entry.ifa_flags
            let isMeant = names.isEmpty || names.contains(String(cString: entry.ifa_name))
            let isUsable =
                flags & UInt32(IFF_UP) != 0 && flags & UInt32(IFF_LOOPBACK) == 0
                && flags & UInt32(IFF_MULTICAST) != 0
            guard isMeant, isUsable, let address = entry.ifa_addr else { continue }
            if [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family)) { return true }
        }
        return false
    }
}
