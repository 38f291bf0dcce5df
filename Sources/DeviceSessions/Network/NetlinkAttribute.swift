import NIOCore

/// One attribute of a message of rtnetlink: `struct rtattr` and what it holds.
struct NetlinkAttribute {
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
