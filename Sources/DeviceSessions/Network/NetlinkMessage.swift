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
    /// A route to other hosts.
    case route
    /// The end of a list that was asked for.
    case done

    private static let headerLength = 16
    /// What follows each header is aligned to this.
    private static let alignment = 4

    private enum Kind {
        static let done: UInt16 = 3
        static let newLink: UInt16 = 16
        static let deleteLink: UInt16 = 17
        static let newAddress: UInt16 = 20
        static let deleteAddress: UInt16 = 21
        static let newRoute: UInt16 = 24
    }

    /// What a datagram says, in its order; the rest is skipped from the first message on whose length makes no sense.
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
