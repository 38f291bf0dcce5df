import Glibc
import NIOCore

/// A count of the networks in which the mDNS daemon can take part in IPv4, and of those that there are.
///
/// Avahi has one socket for all interfaces. Linux allows a socket 20 memberships in multicast groups unless it is told otherwise; in the interfaces beyond
/// that the daemon neither hears nor answers anything, and says so in its own log alone. There is no such limit in IPv6.
package struct MulticastMemberships: Hashable, Sendable {
    /// The kernel's setting that is to be raised.
    package static let parameter = "net.ipv4.igmp_max_memberships"

    /// The number of interfaces in which the daemon is to take part, as far as it is configured in its usual place: with the loopback interface,
    /// and without those that its `allow-interfaces` and `deny-interfaces` leave out.
    package let needed: Int
    /// The number of them that a socket can take part in.
    package let possible: Int

    package init(needed: Int, possible: Int) {
        self.needed = needed
        self.possible = possible
    }

    /// The count as it is now: a socket becomes a member in every interface for a moment, of a group in which the machine is always, so that the network
    /// hears nothing of it.
    package static var current: MulticastMemberships {
        let interfaces = Self.interfaces(ofDaemonConfiguredBy: Self.daemonConfiguration)
        return MulticastMemberships(needed: interfaces.count, possible: Self.join(interfaces))
    }

    /// The fault in a sentence without a full stop; nil when there is none.
    package var problem: String? {
        guard self.possible < self.needed else { return nil }
        return "mDNS reaches \(self.possible) of \(self.needed) network interfaces in IPv4: Linux lets a socket "
            + "into no more, and Avahi has one for all"
    }

    /// A remedy, in a sentence without a full stop.
    package static let advice =
        "sysctl -w \(Self.parameter)=1024, which Castway's file in sysctl.d keeps over restarts; then systemctl restart avahi-daemon. "
        + "Or name the interfaces that matter in allow-interfaces of /etc/avahi/avahi-daemon.conf"

    // MARK: The daemon's interfaces

    private static let path = "/etc/avahi/avahi-daemon.conf"
    /// More than any such file has, in bytes.
    private static let mostBytes = 65_536

    /// The text of the daemon's file, as far as it can be read.
    private static var daemonConfiguration: String {
        let descriptor = open(Self.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// The interfaces that a daemon uses by what its file says.
    struct Selection: Equatable {
        var usesIPv4 = true
        /// Nil for all.
        var allowed: Set<String>?
        var denied: Set<String> = []
        var allowsPointToPoint = false

        init(_ text: String) {
            for line in text.split(whereSeparator: \.isNewline) {
                let parts = line.split(separator: "=", maxSplits: 1).map(Self.trimmed)
                guard parts.count == 2, !parts[0].hasPrefix("#") else { continue }
                let names = { Set(parts[1].split(separator: ",").map(Self.trimmed).filter { !$0.isEmpty }) }
                switch parts[0] {
                case "use-ipv4": self.usesIPv4 = Self.isYes(parts[1])
                case "allow-interfaces": self.allowed = names()
                case "deny-interfaces": self.denied = names()
                case "allow-point-to-point": self.allowsPointToPoint = Self.isYes(parts[1])
                default: break
                }
            }
        }

        func contains(_ name: String, flags: UInt32) -> Bool {
            guard self.usesIPv4, flags & UInt32(IFF_UP) != 0 else { return false }
            guard flags & UInt32(IFF_MULTICAST) != 0 || flags & UInt32(IFF_LOOPBACK) != 0 else { return false }
            guard self.allowsPointToPoint || flags & UInt32(IFF_POINTOPOINT) == 0 else { return false }
            return self.allowed?.contains(name) ?? true && !self.denied.contains(name)
        }

        private static func isYes(_ text: String) -> Bool { text == "yes" || text == "true" || text == "1" }

        private static func trimmed(_ text: Substring) -> String {
            String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0.isWhitespace }.reversed())
        }
    }

    private static func interfaces(ofDaemonConfiguredBy text: String) -> [String] {
        let selection = Selection(text)
        let flags = Self.flags
        let names = ((try? System.enumerateDevices()) ?? []).compactMap { device -> String? in
            guard case .v4 = device.address, let flags = flags[device.name] else { return nil }
            return selection.contains(device.name, flags: flags) ? device.name : nil
        }
        return Set(names).sorted()
    }

    /// The flags of each interface, as `getifaddrs` has them.
    private static var flags: [String: UInt32] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [:] }
        defer { freeifaddrs(first) }
        var flags: [String: UInt32] = [:]
        var entry = first
        while let current = entry?.pointee {
            flags[String(cString: current.ifa_name)] = current.ifa_flags
            entry = current.ifa_next
        }
        return flags
    }

    // MARK: The kernel

    /// The group of all hosts, of which no membership is reported (RFC 2236, section 6).
    private static let allHosts: [UInt8] = [224, 0, 0, 1]

    /// - Returns: into how many a socket gets; all of them when there is no socket, or the kernel refuses for another reason.
    private static func join(_ interfaces: [String]) -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return interfaces.count }
        defer { close(descriptor) }
        var request = ip_mreqn()
        withUnsafeMutableBytes(of: &request.imr_multiaddr) { $0.copyBytes(from: Self.allHosts) }
        for (count, name) in interfaces.enumerated() {
            request.imr_ifindex = Int32(bitPattern: if_nametoindex(name))
            let code = setsockopt(
                descriptor, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &request, socklen_t(MemoryLayout<ip_mreqn>.size))
            if code != 0, errno == ENOBUFS || errno == ENOMEM { return count }
        }
        return interfaces.count
    }
}
