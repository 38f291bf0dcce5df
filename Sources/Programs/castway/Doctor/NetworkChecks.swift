import CastDiscovery
import GatewayConfig
import GatewaySettings
import Glibc
import NIOCore
import NIOPosix
import VirtualDevices

/// Which network interfaces there are, and whether Cast devices could be found on them.
struct InterfaceCheck: DoctorCheck {
    /// What there is; asked when the check is made.
    var interfaces: @Sendable () -> [NetworkInterface] = { NetworkInterface.all() }
    /// In how many of them the mDNS daemon can take part.
    var memberships: @Sendable () -> MulticastMemberships = { .current }

    let name = "network interfaces"

    func findings() async -> [DoctorFinding] {
        let interfaces = self.interfaces()
        let outward = interfaces.filter { !$0.isLoopback }
        var findings = outward.map { self.finding($0) }
        if !outward.contains(where: { $0.isUsable }) {
            findings.append(
                .warn(
                    "network", "no interface but the loopback is up with an address and multicast",
                    advice: "devices can be neither found nor found by others; connect the machine to their network"))
        } else if !outward.contains(where: { $0.isUsable && $0.hasIPv6 }) {
            findings.append(.ok("IPv6", "no interface has an address; devices are found and reached over IPv4 alone"))
        }
        if let problem = self.memberships().problem {
            findings.append(.warn("multicast", problem, advice: MulticastMemberships.advice))
        }
        return findings
    }

    private func finding(_ interface: NetworkInterface) -> DoctorFinding {
        let addresses = interface.addresses.isEmpty ? "no address" : interface.addresses.joined(separator: ", ")
        guard interface.isUp else { return .ok(interface.name, "down") }
        guard !interface.addresses.isEmpty else { return .ok(interface.name, "up, no address") }
        guard interface.hasMulticast else {
            return .warn(
                interface.name, "up, \(addresses), without multicast",
                advice: "devices behind it are not found; name them in discovery.static")
        }
        return .ok(interface.name, "up, \(addresses), multicast")
    }
}

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
                        name: name, isUp: flags & UInt32(IFF_UP) != 0, isLoopback: flags & UInt32(IFF_LOOPBACK) != 0,
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
        let code = getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        guard code == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Whether the ports of the virtual devices are free, or held by the gateway itself.
struct PortCheck: DoctorCheck {
    /// What a virtual device listens on.
    struct Port: Sendable, Equatable {
        let device: String
        let address: ListenAddress
    }

    let ports: [Port]
    /// Whether the gateway of this configuration runs; asked once.
    let runningGateway: RunningGatewayProbe

    let name = "ports"

    /// The ports of all virtual devices; those that the system chooses are always free.
    static func ports(of configuration: GatewayConfiguration) -> [Port] {
        configuration.virtualDevices.flatMap { device in
            [device.listen, device.setup.http, device.setup.https].compactMap { address in
                address.flatMap { $0.port == 0 ? nil : Port(device: device.name, address: $0) }
            }
        }
    }

    func findings() async -> [DoctorFinding] {
        var taken: [(Port, Int32)] = []
        var findings: [DoctorFinding] = []
        for port in self.ports {
            if let code = await Self.obstacle(at: port.address) {
                taken.append((port, code))
            } else {
                findings.append(.ok("\(port.address)", "free, for \(port.device)"))
            }
        }
        guard !taken.isEmpty else { return findings.isEmpty ? .ok("virtual devices", "no fixed ports") : findings }
        let isRunning = await self.runningGateway.answers()
        return findings
            + taken.map { port, code -> DoctorFinding in
                let subject = "\(port.address)"
                switch code {
                case EADDRINUSE where isRunning:
                    return .ok(subject, "in use, for \(port.device), by \(self.runningGateway.name)")
                case EADDRINUSE:
                    return .fail(
                        subject, "in use by another program, wanted by \(port.device)",
                        advice: "find it: ss -ltnp 'sport = :\(port.address.port)'; or choose another port")
                case EADDRNOTAVAIL:
                    return .fail(
                        subject, "no interface has this address, wanted by \(port.device)",
                        advice: "listen on an address of this machine, or on 0.0.0.0 or [::]")
                case EACCES:
                    return .fail(
                        subject, "may not be listened on by this user, wanted by \(port.device)",
                        advice: "ports below 1024 need CAP_NET_BIND_SERVICE; choose another port")
                default:
                    return .fail(
                        subject, "cannot be listened on: \(SystemError.text(code))",
                        advice: "see what the system says of it")
                }
            }
    }

    /// Listens for a moment, on a socket that nothing is accepted from.
    private static func obstacle(at address: ListenAddress) async -> Int32? {
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.autoRead, value: false)
                .bind(host: address.host, port: address.port).get()
            try await channel.close()
            return nil
        } catch let error as IOError {
            return error.errnoCode
        } catch {
            return EINVAL
        }
    }
}
