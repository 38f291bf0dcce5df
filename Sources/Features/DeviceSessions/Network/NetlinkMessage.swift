import NIOCore

/// One message of rtnetlink (`man 7 rtnetlink`), as far as it tells that a link, an address or a route is there.
///
/// All numbers are in the host's order. What is too short for what it says to be is not read.
enum NetlinkMessage: Hashable {
    /// An interface, and whether frames get through.
    case link(index: Int32, isRunning: Bool)
    case linkGone(index: Int32)
    case address(NetworkAddress)
    case addressGone(NetworkAddress)
    case route
    /// The end of a list that was asked for.
    case done

    private static let headerLength = 16
    /// The alignment of what follows each header.
    private static let alignment = 4

    private enum Kind {
        static let done: UInt16 = 3
        static let newLink: UInt16 = 16
        static let deleteLink: UInt16 = 17
        static let newAddress: UInt16 = 20
        static let deleteAddress: UInt16 = 21
        static let newRoute: UInt16 = 24
    }

    /// Reads the messages of a datagram, in order, up to the first of impossible length.
    static func read(_ datagram: ByteBuffer) -> [NetlinkMessage] {
        var datagram = datagram
        var messages: [NetlinkMessage] = []
        while let length = datagram.peekInteger(as: UInt32.self).map(Int.init), length >= Self.headerLength,
            var message = datagram.readSlice(length: length)
        {
            message.moveReaderIndex(forwardBy: 4)
            if let kind = message.readInteger(endianness: .host, as: UInt16.self) {
                message.moveReaderIndex(forwardBy: Self.headerLength - 6)
                if let read = Self.body(kind, &message) { messages.append(read) }
            }
            let padding = (Self.alignment - length % Self.alignment) % Self.alignment
            datagram.moveReaderIndex(forwardBy: min(padding, datagram.readableBytes))
        }
        return messages
    }

    private static func body(_ kind: UInt16, _ body: inout ByteBuffer) -> NetlinkMessage? {
        switch kind {
        case Kind.done: .done
        case Kind.newLink: Self.link(&body, isGone: false)
        case Kind.deleteLink: Self.link(&body, isGone: true)
        case Kind.newAddress: NetworkAddress(reading: &body).map(Self.address)
        case Kind.deleteAddress: NetworkAddress(reading: &body).map(Self.addressGone)
        case Kind.newRoute: Self.route(&body)
        default: nil
        }
    }

    /// `struct ifinfomsg`. A link carries frames when it is up, running, and its lower layer is up.
    private static func link(_ body: inout ByteBuffer, isGone: Bool) -> NetlinkMessage? {
        let running: UInt32 = 0x1_0041
        let loopback: UInt32 = 0x8
        guard body.readSlice(length: 4) != nil, let index = body.readInteger(endianness: .host, as: Int32.self),
            let flags = body.readInteger(endianness: .host, as: UInt32.self), flags & loopback == 0
        else { return nil }
        return isGone ? .linkGone(index: index) : .link(index: index, isRunning: flags & running == running)
    }

    /// `struct rtmsg`. Only what programs' packets follow counts: unicast routes of the main table, none of them learned
    /// for one destination, and no IPv6 route within a link, which every link has.
    private static func route(_ body: inout ByteBuffer) -> NetlinkMessage? {
        let (mainTable, unicast, cloned): (UInt8, UInt8, UInt32) = (254, 1, 0x200)
        guard let start = body.readBytes(length: 8), let flags = body.readInteger(endianness: .host, as: UInt32.self),
            start[4] == mainTable, start[7] == unicast, flags & cloned == 0
        else { return nil }
        let (inet6, destination): (UInt8, UInt16) = (10, 1)
        let isLinkLocal =
            start[0] == inet6
            && NetlinkAttribute.all(in: &body).contains {
                $0.kind == destination && $0.value.starts(with: [0xFE, 0x80])
            }
        return isLinkLocal ? nil : .route
    }
}

extension ByteBuffer {
    /// The number that comes next, in the host's order.
    fileprivate func peekInteger(as type: UInt32.Type) -> UInt32? {
        self.getInteger(at: self.readerIndex, endianness: .host, as: type)
    }
}

/// One attribute of a message of rtnetlink: `struct rtattr` and what it holds.
private struct NetlinkAttribute {
    private static let headerLength = 4

    let kind: UInt16
    let value: [UInt8]

    /// The attributes that fill the rest of a message; reading ends where a length makes no sense.
    static func all(in body: inout ByteBuffer) -> [NetlinkAttribute] {
        var attributes: [NetlinkAttribute] = []
        while let length = body.readInteger(endianness: .host, as: UInt16.self).map(Int.init),
            length >= Self.headerLength, let kind = body.readInteger(endianness: .host, as: UInt16.self),
            let value = body.readBytes(length: length - Self.headerLength)
        {
            attributes.append(NetlinkAttribute(kind: kind, value: value))
            body.moveReaderIndex(forwardBy: min((4 - length % 4) % 4, body.readableBytes))
        }
        return attributes
    }
}

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
