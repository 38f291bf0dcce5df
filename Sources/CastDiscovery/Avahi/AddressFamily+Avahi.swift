import CAvahi

extension AddressFamily {
    /// The number that stands for any family, as for any interface.
    static let avahiUnspecified: Int32 = -1

    init?(avahi number: AvahiProtocol) {
        switch number {
        case AvahiProtocol(AVAHI_PROTO_INET): self = .ipv4
        case AvahiProtocol(AVAHI_PROTO_INET6): self = .ipv6
        default: return nil
        }
    }

    var avahi: AvahiProtocol {
        switch self {
        case .ipv4: AvahiProtocol(AVAHI_PROTO_INET)
        case .ipv6: AvahiProtocol(AVAHI_PROTO_INET6)
        }
    }
}
