/// A range of IP addresses in CIDR form: `10.20.0.0/16`, `fd00::/8`; a plain address is a range of one.
public struct AddressRange: Sendable, Hashable {
    /// The first address of the range, with the bits beyond the prefix cleared.
    public let base: IPAddress
    /// How many leading bits are fixed: 0 to 32 for IPv4, 0 to 128 for IPv6.
    public let prefixLength: Int

    /// Reads `address` or `address/bits`; nil when the text is neither.
    ///
    /// Bits of the address beyond the prefix must be zero: `10.20.3.4/16` gives nil, since it is nearly always a slip.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        var bits = address.bitWidth
        if parts.count == 2 {
            guard let written = Self.prefixLength(parts[1]), written <= address.bitWidth else { return nil }
            bits = written
        }
        guard address.masked(to: bits) == address else { return nil }
        self.base = address
        self.prefixLength = bits
    }

    /// Whether a textual IPv4 or IPv6 address lies in the range; false when the text is no address.
    ///
    /// An IPv4-mapped IPv6 address (`::ffff:10.20.0.1`) counts as the IPv4 address; a zone (`%eth0`) is ignored.
    public func contains(_ address: String) -> Bool {
        guard let parsed = IPAddress(address) else { return false }
        return self.contains(parsed)
    }

    /// Whether an address lies in the range; see ``contains(_:)-(String)`` for mapped addresses.
    public func contains(_ address: IPAddress) -> Bool {
        let address = address.unmapped
        return address.bitWidth == self.base.bitWidth && address.masked(to: self.prefixLength) == self.base
    }

    private static func prefixLength(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        guard text.count == 1 || text.first != "0" else { return nil }
        return Int(text)
    }
}

extension AddressRange: CustomStringConvertible {
    /// The range in CIDR form, always with its prefix length.
    public var description: String { "\(self.base)/\(self.prefixLength)" }
}
