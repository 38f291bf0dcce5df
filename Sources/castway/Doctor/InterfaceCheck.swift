/// Which network interfaces there are, and whether Cast devices could be found on them.
struct InterfaceCheck: DoctorCheck {
    /// What there is; asked when the check is made.
    var interfaces: @Sendable () -> [NetworkInterface] = { NetworkInterface.all() }

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
            findings.append(
                .ok("IPv6", "no interface has an address; devices are found and reached over IPv4 alone"))
        }
        return findings
    }

    private func finding(_ interface: NetworkInterface) -> DoctorFinding {
        let addresses = interface.addresses.isEmpty ? "no address" : interface.addresses.joined(separator: ", ")
        guard interface.isUp else {
            return .ok(interface.name, "down")
        }
        guard !interface.addresses.isEmpty else { return .ok(interface.name, "up, no address") }
        guard interface.hasMulticast else {
            return .warn(
                interface.name, "up, \(addresses), without multicast",
                advice: "devices behind it are not found; name them in discovery.static")
        }
        return .ok(interface.name, "up, \(addresses), multicast")
    }
}
