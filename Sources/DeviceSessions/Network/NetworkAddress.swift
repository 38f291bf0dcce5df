import NIOCore

/// An address of an interface, as `struct ifaddrmsg` and its attributes tell it.
struct NetworkAddress: Hashable {
    let interface: UInt32
    let address: [UInt8]
    /// False while IPv6 looks whether another host has it.
    let isUsable: Bool

    init(interface: UInt32, address: [UInt8], isUsable: Bool = true) {
        self.interface = interface
        self.address = address
        self.isUsable = isUsable
    }

    /// nil for one that leads to no other host.
    init?(reading body: inout ByteBuffer) {
        let (tentative, host): (UInt8, UInt8) = (0x40, 254)
        let (addressKind, localKind): (UInt16, UInt16) = (1, 2)
        guard let start = body.readBytes(length: 4), start[3] != host,
            let interface = body.readInteger(endianness: .host, as: UInt32.self)
        else { return nil }
        let attributes = NetlinkAttribute.all(in: &body)
        // Of a point-to-point link the first is the other end's.
        guard
            let address = attributes.first(where: { $0.kind == localKind })
                ?? attributes.first(where: { $0.kind == addressKind })
        else { return nil }
        self.init(interface: interface, address: address.value, isUsable: start[2] & tentative == 0)
    }
}
