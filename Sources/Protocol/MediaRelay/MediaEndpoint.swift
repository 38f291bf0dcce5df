package import Glibc

/// An IP address with a port. An IPv4 address that is written as an IPv6 one (`::ffff:192.0.2.1`) is the IPv4 address.
package struct MediaEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// The sixteen bytes of an IPv6 address, or the four of an IPv4 one, in the order of the network.
    private let bytes: InlineBytes
    package let isIPv6: Bool
    /// 0 to 65,535; 0 for any.
    package let port: UInt16
    /// The interface that a link-local IPv6 address is about; 0 for every other.
    private let scope: UInt32

    private struct InlineBytes: Hashable, Sendable {
        var high: UInt64 = 0
        var low: UInt64 = 0
    }

    /// Reads what the system wrote.
    /// - Parameter address: an address of the family that it names, as long as that takes.
    /// - Returns: nil for one that is no IP address.
    package init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                MediaEndpoint(ipv4: address.pointee.sin_addr.s_addr, port: UInt16(bigEndian: address.pointee.sin_port))
            }
        case AF_INET6:
            self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                MediaEndpoint(
                    ipv6: address.pointee.sin6_addr, port: UInt16(bigEndian: address.pointee.sin6_port),
                    scope: address.pointee.sin6_scope_id)
            }
        default: return nil
        }
    }

    /// Reads an address.
    /// - Parameters:
    ///   - host: an IPv4 or IPv6 address in figures, without a scope.
    ///   - port: 0 to 65,535.
    /// - Returns: nil for anything else.
    package init?(host: String, port: Int) {
        guard let port = UInt16(exactly: port) else { return nil }
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, host, &four) == 1 {
            self.init(ipv4: four.s_addr, port: port)
        } else if inet_pton(AF_INET6, host, &six) == 1 {
            self.init(ipv6: six, port: port, scope: 0)
        } else {
            return nil
        }
    }

    private init(ipv4 address: UInt32, port: UInt16) {
        self.init(InlineBytes(high: 0, low: UInt64(address)), isIPv6: false, port: port, scope: 0)
    }

    private init(ipv6 address: in6_addr, port: UInt16, scope: UInt32) {
        let (high, low) = withUnsafeBytes(of: address) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        if high == 0, UInt32(truncatingIfNeeded: UInt64(bigEndian: low) >> 32) == 0xFFFF {
            self.init(ipv4: UInt32(bigEndian: UInt32(truncatingIfNeeded: UInt64(bigEndian: low))), port: port)
            return
        }
        // Interfaces matter to link-local addresses, fe80::/10, alone.
        let isLinkLocal = UInt64(bigEndian: high) >> 54 == 0x3FA
        self.init(InlineBytes(high: high, low: low), isIPv6: true, port: port, scope: isLinkLocal ? scope : 0)
    }

    private init(_ bytes: InlineBytes, isIPv6: Bool, port: UInt16, scope: UInt32) {
        self.bytes = bytes
        self.isIPv6 = isIPv6
        self.port = port
        self.scope = scope
    }

    package func at(port: UInt16) -> MediaEndpoint {
        MediaEndpoint(self.bytes, isIPv6: self.isIPv6, port: port, scope: self.scope)
    }

    /// True if both are on the same host; ports may differ.
    package func hasAddress(of other: MediaEndpoint) -> Bool {
        self.bytes == other.bytes && self.isIPv6 == other.isIPv6 && self.scope == other.scope
    }

    /// The address in figures, without port and scope.
    package var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let count = socklen_t(text.count)
        if self.isIPv6 {
            var address = self.bytes
            inet_ntop(AF_INET6, &address, &text, count)
        } else {
            var address = UInt32(truncatingIfNeeded: self.bytes.low)
            inet_ntop(AF_INET, &address, &text, count)
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The address with its port, an IPv6 address in brackets.
    package var description: String { self.isIPv6 ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)" }

    var family: Int32 { self.isIPv6 ? AF_INET6 : AF_INET }

    /// Writes the address as the system takes it.
    /// - Returns: how many bytes that takes.
    func write(to storage: inout sockaddr_storage) -> socklen_t {
        storage = sockaddr_storage()
        return withUnsafeMutablePointer(to: &storage) { storage in
            if self.isIPv6 {
                storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    address.pointee.sin6_family = sa_family_t(AF_INET6)
                    address.pointee.sin6_port = self.port.bigEndian
                    address.pointee.sin6_scope_id = self.scope
                    withUnsafeMutableBytes(of: &address.pointee.sin6_addr) { bytes in
                        bytes.storeBytes(of: self.bytes.high, as: UInt64.self)
                        bytes.storeBytes(of: self.bytes.low, toByteOffset: 8, as: UInt64.self)
                    }
                }
                return socklen_t(MemoryLayout<sockaddr_in6>.size)
            }
            storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                address.pointee.sin_family = sa_family_t(AF_INET)
                address.pointee.sin_port = self.port.bigEndian
                address.pointee.sin_addr.s_addr = UInt32(truncatingIfNeeded: self.bytes.low)
            }
            return socklen_t(MemoryLayout<sockaddr_in>.size)
        }
    }

    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        let length = self.write(to: &storage)
        return withUnsafePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
