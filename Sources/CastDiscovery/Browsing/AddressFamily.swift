/// The protocol in which a device was heard, and in which it is reached.
public enum AddressFamily: String, Hashable, Sendable, Comparable {
    /// IPv4.
    case ipv4
    /// IPv6.
    case ipv6

    /// IPv4 comes first.
    public static func < (left: AddressFamily, right: AddressFamily) -> Bool { left == .ipv4 && right == .ipv6 }
}
