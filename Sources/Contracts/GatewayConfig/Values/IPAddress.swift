internal import Glibc

/// An IPv4 or IPv6 address as bytes, for comparing and for ranges.
package struct IPAddress: Sendable, Hashable {
    /// 4 bytes for IPv4, 16 for IPv6, most significant first.
    package let bytes: [UInt8]

    /// 32 or 128.
    package var bitWidth: Int { self.bytes.count * 8 }

    /// Reads a textual IPv4 or IPv6 address (RFC 4291 section 2.2); a zone (`%eth0`) is ignored. Nil for anything else.
    package init?(_ text: String) {
        if let bytes = Self.ipv4(text) ?? Self.ipv6(text) {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The IPv4 address inside an IPv4-mapped IPv6 address, otherwise the address itself.
    package var unmapped: IPAddress {
        let isMapped = self.bytes.count == 16 && self.bytes[0..<10].allSatisfy { $0 == 0 } && self.bytes[10] == 0xFF
        return isMapped && self.bytes[11] == 0xFF ? IPAddress(bytes: Array(self.bytes[12...])) : self
    }

    /// The address with every bit beyond the first `bits` cleared.
    func masked(to bits: Int) -> IPAddress {
        var bytes = self.bytes
        for index in bytes.indices {
            let kept = min(max(bits - index * 8, 0), 8)
            bytes[index] &= UInt8(truncatingIfNeeded: 0xFF00 >> kept)
        }
        return IPAddress(bytes: bytes)
    }

    private static func ipv4(_ text: String) -> [UInt8]? {
        Self.parse(text, AF_INET, count: 4)
    }

    private static func ipv6(_ text: String) -> [UInt8]? {
        var address = Substring(text)
        if let zone = text.firstIndex(of: "%") {
            guard text.index(after: zone) != text.endIndex else { return nil }
            address = text[..<zone]
        }
        return Self.parse(String(address), AF_INET6, count: 16)
    }

    /// Reads a text by inet_pton(3), which takes neither octets with leading zeros nor fewer than four.
    private static func parse(_ text: String, _ family: Int32, count: Int) -> [UInt8]? {
        // The C string would end at a zero byte within the text.
        guard !text.utf8.contains(0) else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 4) { bytes in
            inet_pton(family, text, bytes.baseAddress) == 1 ? Array(bytes) : nil
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address as text; IPv6 in the short form of RFC 5952.
    package var description: String {
        guard self.bytes.count == 16 else {
            return self.bytes.map { String($0) }.joined(separator: ".")
        }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(self.bytes[$0]) << 8 | UInt16(self.bytes[$0 + 1]) }
        var longest = 0..<0
        var start = 0
        while start < groups.count {
            var end = start
            while end < groups.count, groups[end] == 0 { end += 1 }
            if end - start > longest.count { longest = start..<end }
            start = max(end, start + 1)
        }
        let text = { (slice: ArraySlice<UInt16>) in slice.map { String($0, radix: 16) }.joined(separator: ":") }
        guard longest.count > 1 else { return text(groups[...]) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}

/// A range of IP addresses in CIDR form: `10.20.0.0/16`, `fd00::/8`; a plain address is a range of one.
package struct AddressRange: Sendable, Hashable {
    /// The first address of the range, with the bits beyond the prefix cleared.
    package let base: IPAddress
    /// The number of leading bits that are fixed: 0 to 32 for IPv4, 0 to 128 for IPv6.
    package let prefixLength: Int

    /// Reads `address` or `address/bits`; nil when the text is neither.
    ///
    /// Bits of the address beyond the prefix must be zero: `10.20.3.4/16` gives nil, since it is nearly always a slip.
    package init?(_ text: String) {
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

    /// True if a textual IPv4 or IPv6 address lies in the range; false when the text is no address.
    ///
    /// An IPv4-mapped IPv6 address (`::ffff:10.20.0.1`) counts as the IPv4 address; a zone (`%eth0`) is ignored.
    package func contains(_ address: String) -> Bool {
        guard let parsed = IPAddress(address) else { return false }
        return self.contains(parsed)
    }

    /// True if an address lies in the range; see ``contains(_:)-(String)`` for mapped addresses.
    package func contains(_ address: IPAddress) -> Bool {
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
    package var description: String { "\(self.base)/\(self.prefixLength)" }
}
