/// The meaning of an address's host, as far as its text tells; names are not looked up.
enum HostAddress: Hashable {
    /// Every address of the machine, IPv4 too: `::`. Linux binds it to both families.
    case everyAddress
    /// Every IPv4 address of the machine: `0.0.0.0`.
    case everyIPv4Address
    /// One address; an IPv4 address inside an IPv6 address is the IPv4 address. The zone is that of `fe80::1%eth0`.
    case address(IPAddress, zone: String?)
    /// A name, in lower case.
    case name(String)

    /// The addresses that a host stands for: several for `localhost`, of which the machine picks one.
    static func all(of host: String) -> [HostAddress] {
        if host.lowercased() == "localhost" { return ["127.0.0.1", "::1"].flatMap(Self.all) }
        guard let address = IPAddress(host)?.unmapped else { return [.name(host.lowercased())] }
        if address.bytes.allSatisfy({ $0 == 0 }) { return [address.bitWidth == 32 ? .everyIPv4Address : .everyAddress] }
        let zone = host.firstIndex(of: "%").map { String(host[host.index(after: $0)...]) }
        return [.address(address, zone: zone)]
    }

    /// True if a listener at the one takes an address that a listener at the other takes.
    func overlaps(_ other: HostAddress) -> Bool {
        switch (self, other) {
        case (.everyAddress, _), (_, .everyAddress): true
        case (.everyIPv4Address, .address(let address, _)), (.address(let address, _), .everyIPv4Address):
            address.bitWidth == 32
        // A name may be of any address.
        case (.everyIPv4Address, _), (_, .everyIPv4Address): true
        case (.address(let first, let firstZone), .address(let second, let secondZone)):
            first == second && (firstZone == nil || secondZone == nil || firstZone == secondZone)
        case (.name(let first), .name(let second)): first == second
        case (.name, .address), (.address, .name): false
        }
    }
}

extension ListenAddress {
    /// True if two listeners cannot be bound beside each other: they have a port, and an address, in common.
    ///
    /// `0.0.0.0` has every IPv4 address and `::` every address in common with others; `localhost` is both loopback
    /// addresses. Port 0 clashes with nothing. Names are compared as they are written, not looked up.
    package func clashes(with other: ListenAddress) -> Bool {
        guard self.port == other.port, self.port != 0 else { return false }
        let others = HostAddress.all(of: other.host)
        return HostAddress.all(of: self.host).contains { mine in others.contains { mine.overlaps($0) } }
    }

    /// Returns true if a connection to an address reaches a listener at this one.
    /// - Parameter machine: the addresses and names of the machine that listens, beside those of its loopback interface.
    package func isReached(at dialled: DialAddress, machine: MachineAddresses) -> Bool {
        guard self.port == dialled.port else { return false }
        let listeners = HostAddress.all(of: self.host)
        return HostAddress.all(of: dialled.host).contains { target in
            switch target {
            // Linux takes a connection to no address for one to the loopback address.
            case .everyIPv4Address: return Self.reach(machine.loopback4, listeners, machine)
            case .everyAddress: return Self.reach(machine.loopback6, listeners, machine)
            case .address(let address, _): return Self.reach(address, listeners, machine)
            case .name(let name):
                return listeners.contains {
                    switch $0 {
                    case .everyAddress, .everyIPv4Address: machine.isNamed(name)
                    case .name(let own): own == name
                    case .address: false
                    }
                }
            }
        }
    }

    private static func reach(_ address: IPAddress, _ listeners: [HostAddress], _ machine: MachineAddresses) -> Bool {
        listeners.contains {
            switch $0 {
            case .everyAddress: machine.has(address)
            case .everyIPv4Address: address.bitWidth == 32 && machine.has(address)
            case .address(let own, _): own == address
            case .name(let name): machine.isNamed(name) && machine.has(address)
            }
        }
    }
}
