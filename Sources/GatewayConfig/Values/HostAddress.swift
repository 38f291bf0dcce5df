/// What the host of an address stands for, as far as its text tells; names are not looked up.
enum HostAddress: Hashable {
    /// Every address of the machine, IPv4 too: `::`. Linux binds it to both families.
    case everyAddress
    /// Every IPv4 address of the machine: `0.0.0.0`.
    case everyIPv4Address
    /// One address; an IPv4 address inside an IPv6 address is the IPv4 address. The zone is that of `fe80::1%eth0`.
    case address(IPAddress, zone: String?)
    /// A name, in lower case.
    case name(String)

    /// What a host stands for: several addresses for `localhost`, of which the machine picks one.
    static func all(of host: String) -> [HostAddress] {
        if host.lowercased() == "localhost" { return ["127.0.0.1", "::1"].flatMap(Self.all) }
        guard let address = IPAddress(host)?.unmapped else { return [.name(host.lowercased())] }
        if address.bytes.allSatisfy({ $0 == 0 }) { return [address.bitWidth == 32 ? .everyIPv4Address : .everyAddress] }
        let zone = host.firstIndex(of: "%").map { String(host[host.index(after: $0)...]) }
        return [.address(address, zone: zone)]
    }

    /// Whether a listener at the one takes an address that a listener at the other takes.
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
