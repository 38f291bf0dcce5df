import Glibc

/// An IPv4 or IPv6 address as bytes, for comparing and for ranges.
public struct IPAddress: Sendable, Hashable {
    /// 4 bytes for IPv4, 16 for IPv6, most significant first.
    public let bytes: [UInt8]

    /// 32 or 128.
    public var bitWidth: Int { self.bytes.count * 8 }

    /// Reads a textual IPv4 or IPv6 address (RFC 4291 section 2.2); a zone (`%eth0`) is ignored. Nil for anything else.
    public init?(_ text: String) {
        if let bytes = Self.read(text[...], family: AF_INET, length: 4) ?? Self.ipv6(text) {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The IPv4 address inside an IPv4-mapped IPv6 address, otherwise the address itself.
    public var unmapped: IPAddress {
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

    /// The system judges the syntax (inet_pton(3)); it takes no zone, and would end at a NUL.
    private static func read(_ text: Substring, family: Int32, length: Int) -> [UInt8]? {
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        return inet_pton(family, String(text), &bytes) == 1 ? bytes : nil
    }

    private static func ipv6(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 64 else { return nil }
        guard let zone = text.firstIndex(of: "%") else { return Self.read(text[...], family: AF_INET6, length: 16) }
        guard text.index(after: zone) != text.endIndex else { return nil }
        return Self.read(text[..<zone], family: AF_INET6, length: 16)
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address as text; IPv6 in the short form of RFC 5952.
    public var description: String {
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
