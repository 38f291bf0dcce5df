extension ListenAddress {
    /// Whether two listeners cannot be bound beside each other: they have a port, and an address, in common.
    ///
    /// `0.0.0.0` has every IPv4 address and `::` every address in common with others; `localhost` is both loopback
    /// addresses. Port 0 clashes with nothing. Names are compared as they are written, not looked up.
    public func clashes(with other: ListenAddress) -> Bool {
        guard self.port == other.port, self.port != 0 else { return false }
        let others = HostAddress.all(of: other.host)
        return HostAddress.all(of: self.host).contains { mine in others.contains { mine.overlaps($0) } }
    }

    /// Whether a connection to an address reaches a listener at this one.
    /// - Parameter machine: the addresses and names of the machine that listens, beside those of its loopback interface.
    public func isReached(at dialled: DialAddress, machine: MachineAddresses) -> Bool {
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
