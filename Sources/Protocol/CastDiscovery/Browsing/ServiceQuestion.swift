import Glibc
import NIOCore

/// Asks the network which Cast devices there are, beside the daemon.
///
/// The daemon asks for a type that is browsed at the start and then ever more rarely, up to once an hour; one more client that browses it
/// makes it ask nothing. This question leaves from the port of mDNS, so devices answer it to the group, where the daemon hears them (RFC 6762,
/// section 6.7). It names no known answers: a device that the daemon has forgotten to be there is to say so.
enum ServiceQuestion {
    private static let hops: Int32 = 255
    private static let pointerType: UInt8 = 12
    private static let internetClass: UInt8 = 1

    /// One question for the plain type, to be answered by multicast.
    static let message: [UInt8] =
        [0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 6) + CastService.wireName(domain: "local")
        + [0, pointerType, 0, internetClass]

    /// Asks at each place once. A place where it cannot be asked is left out.
    /// - Returns: at how many it was asked.
    @discardableResult
    static func ask(at places: some Sequence<ListeningPlace>) -> Int {
        places.reduce(0) { $0 + (Self.ask(at: $1) ? 1 : 0) }
    }

    /// Bound to the group as the listener's sockets are, and no member of it: what is sent to the machine alone is for the daemon.
    private static func ask(at place: ListeningPlace) -> Bool {
        guard let group = try? place.group() else { return false }
        let isIPv4 = place.family == .ipv4
        let descriptor = socket(
            isIPv4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        func set<Value>(_ level: Int32, _ option: Int32, to value: Value) -> Bool {
            withUnsafePointer(to: value) {
                setsockopt(descriptor, level, option, $0, socklen_t(MemoryLayout<Value>.size)) == 0
            }
        }
        let index = Int32(clamping: place.interface)
        var interface = ip_mreqn()
        interface.imr_ifindex = index
        let isSet =
            if isIPv4 {
                set(Int32(IPPROTO_IP), IP_MULTICAST_TTL, to: Self.hops)
                    && set(Int32(IPPROTO_IP), IP_MULTICAST_IF, to: interface)
            } else {
                set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, to: Self.hops)
                    && set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_IF, to: index)
            }
        guard isSet, set(SOL_SOCKET, SO_REUSEADDR, to: Int32(1)), set(SOL_SOCKET, SO_REUSEPORT, to: Int32(1)) else {
            return false
        }
        return group.withSockAddr { address, size in
            let length = socklen_t(size)
            guard bind(descriptor, address, length) == 0 else { return false }
            return sendto(descriptor, Self.message, Self.message.count, 0, address, length) == Self.message.count
        }
    }
}
