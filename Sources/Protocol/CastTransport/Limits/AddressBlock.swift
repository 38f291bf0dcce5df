import Glibc
package import NIOCore

/// Whose limits an address falls under: an IPv4 address has its own, an IPv6 address those of its /64.
///
/// A host may use any of the 2⁶⁴ addresses of its network, so single ones say nothing (RFC 8981).
package struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    /// The address, or the block as `2001:db8:0:1::/64`.
    package let description: String

    /// Finds the block of an address.
    /// - Parameter address: without its port; what is no address stands for itself.
    package init(_ address: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard address.utf8.contains(UInt8(ascii: ":")), inet_pton(AF_INET6, address, &bytes) == 1 else {
            self.description = address
            return
        }
        let groups = stride(from: 0, to: 8, by: 2).map { index in
            String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
        }
        self.description = groups.joined(separator: ":") + "::/64"
    }
}

extension SocketAddress {
    /// The address without its port. An IPv4 address that came through an IPv6 socket (`::ffff:192.0.2.7`) is given as
    /// IPv4, so that one sender has one address.
    package var host: String {
        guard let text = self.ipAddress else { return "unknown" }
        let mapped = "::ffff:"
        guard text.hasPrefix(mapped), text.contains(".") else { return text }
        return String(text.dropFirst(mapped.count))
    }
}
