package import GatewayConfig

/// To which addresses a URL of the configuration may lead, whatever its name resolves to.
///
/// A name of the configuration may come to stand for another address at any time, by a slip or by an attack, and the gateway sits in
/// networks that the server does not. So link-local and metadata addresses are never connected to, nor is what no server can have;
/// private ones and those of this machine only when the operator says so. An IPv4 address inside an IPv6 address is judged as such.
/// What no rule allows is refused. The ranges are those of the IANA registries of special-purpose addresses (RFC 6890).
package struct OutboundAddressRule: Sendable, Hashable {
    /// Whether addresses of local networks and of this machine may be connected to: `allow_private`.
    package var allowsPrivate: Bool

    /// A rule with or without addresses of local networks and of this machine.
    package init(allowsPrivate: Bool) { self.allowsPrivate = allowsPrivate }

    /// Why an address may not be connected to; nil when it may.
    package func refusal(of address: IPAddress) -> String? {
        switch Self.kind(of: address) {
        case .global: nil
        case .local(let what): self.allowsPrivate ? nil : "\(what), which needs allow_private: true"
        case .never(let what): what
        }
    }

    // MARK: Kinds

    private enum Kind {
        case global
        case local(String)
        case never(String)

        /// The stricter of two.
        func and(_ other: Kind) -> Kind {
            switch (self, other) {
            case (.never, _), (.local, .global), (.local, .local): self
            default: other
            }
        }
    }

    private struct Row: Sendable {
        let range: AddressRange
        let kind: Kind

        init?(_ range: String, _ kind: Kind) {
            guard let range = AddressRange(range) else { return nil }
            self.range = range
            self.kind = kind
        }
    }

    /// The first that has an address decides; an IPv4 address in none of them is global.
    private static let ipv4 = Self.rows([
        ("169.254.169.254/32", .never("the metadata service of a cloud")),
        ("100.100.100.200/32", .never("the metadata service of a cloud")),
        ("168.63.129.16/32", .never("the metadata service of a cloud")),
        ("0.0.0.0/8", .never("no address of a server")),
        ("10.0.0.0/8", .local("a private address")),
        ("100.64.0.0/10", .local("an address behind a carrier's translation")),
        ("127.0.0.0/8", .local("an address of this machine")),
        ("169.254.0.0/16", .never("a link-local address")),
        ("172.16.0.0/12", .local("a private address")),
        ("192.0.0.0/24", .never("reserved for protocols")),
        ("192.0.2.0/24", .never("an address for documentation")),
        ("192.88.99.0/24", .never("a relay of 6to4")),
        ("192.168.0.0/16", .local("a private address")),
        ("198.18.0.0/15", .never("an address for benchmarks")),
        ("198.51.100.0/24", .never("an address for documentation")),
        ("203.0.113.0/24", .never("an address for documentation")),
        ("224.0.0.0/4", .never("a multicast address")),
        ("255.255.255.255/32", .never("the broadcast address")),
        ("240.0.0.0/4", .never("a reserved address")),
    ])

    /// The first that has an address decides; an IPv6 address in none of them is refused.
    private static let ipv6 = Self.rows([
        ("fd00:ec2::254/128", .never("the metadata service of a cloud")),
        ("fd20:ce::254/128", .never("the metadata service of a cloud")),
        ("fd00:42::42/128", .never("the metadata service of a cloud")),
        ("::/128", .never("no address of a server")),
        ("::1/128", .local("an address of this machine")),
        ("fc00::/7", .local("a private address")),
        ("fe80::/10", .never("a link-local address")),
        ("fec0::/10", .never("a site-local address")),
        ("ff00::/8", .never("a multicast address")),
        ("2001::/23", .never("reserved for protocols")),
        ("2001:db8::/32", .never("an address for documentation")),
        ("3fff::/20", .never("an address for documentation")),
        ("2000::/3", .global),
        ("::/0", .never("no address of the Internet")),
    ])

    /// IPv6 addresses that stand for an IPv4 address, and the byte at which it begins.
    private static let embedding: [(range: AddressRange, at: Int)] = [
        ("::ffff:0:0:0/96", 12), ("64:ff9b::/96", 12), ("2002::/16", 2),
    ].compactMap { text, at in AddressRange(text).map { ($0, at) } }

    private static let teredo = AddressRange("2001::/32")

    private static func rows(_ rows: [(String, Kind)]) -> [Row] { rows.compactMap { Row($0.0, $0.1) } }

    private static func kind(of address: IPAddress) -> Kind {
        let address = address.unmapped
        let rows = address.bitWidth == 32 ? Self.ipv4 : Self.ipv6
        if address.bitWidth == 128, let embedded = Self.embedded(in: address) { return embedded }
        guard let row = rows.first(where: { $0.range.contains(address) }) else {
            return address.bitWidth == 32 ? .global : .never("an address that cannot be judged")
        }
        return row.kind
    }

    /// The kind of the IPv4 addresses inside an IPv6 address; nil when it has none.
    private static func embedded(in address: IPAddress) -> Kind? {
        let bytes = address.bytes
        // IPv4-compatible (RFC 4291, section 2.5.5.1); :: and ::1 are addresses of their own.
        if bytes[0..<12].allSatisfy({ $0 == 0 }), bytes[12...] != [0, 0, 0, 0], bytes[12...] != [0, 0, 0, 1] {
            return Self.kind(ofIPv4: bytes[12...])
        }
        if let teredo = Self.teredo, teredo.contains(address) {
            // The server, and the client with its bits inverted (RFC 4380, section 4).
            return Self.kind(ofIPv4: bytes[4..<8]).and(Self.kind(ofIPv4: bytes[12...].map { ~$0 }[...]))
        }
        let form = Self.embedding.first { $0.range.contains(address) }
        return form.map { Self.kind(ofIPv4: bytes[$0.at..<($0.at + 4)]) }
    }

    private static func kind(ofIPv4 bytes: ArraySlice<UInt8>) -> Kind {
        guard let address = IPAddress(bytes.map { String($0) }.joined(separator: ".")) else {
            return .never("an address that cannot be judged")
        }
        return Self.kind(of: address)
    }
}
