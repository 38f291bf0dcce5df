import NIOCore

/// Judges by the first bytes of a connection whether its sender begins TLS: a record of the handshake (RFC 8446, 5.1) that holds a
/// ClientHello (RFC 8446, 4). Nothing else of what passes is looked at.
struct ClientHelloCheck {
    enum Verdict: Equatable {
        /// The next bytes will tell.
        case unknown
        case isHello
        case isNone
    }

    /// Record type, version, length, and the type of the message in it.
    static let length = 6
    private static let handshakeRecord: UInt8 = 0x16
    private static let majorVersion: UInt8 = 0x03
    private static let clientHello: UInt8 = 0x01
    private static let shortestRecord = 4
    private static let longestRecord = 0x4000

    /// Judges all that has come; wrong bytes are wrong before the last has come.
    static func judge(_ bytes: ByteBuffer) -> Verdict {
        let view = bytes.readableBytesView.prefix(Self.length)
        let expected: [UInt8?] = [Self.handshakeRecord, Self.majorVersion, nil, nil, nil, Self.clientHello]
        for (byte, wanted) in zip(view, expected) {
            if let wanted, wanted != byte { return .isNone }
        }
        guard let length = bytes.getInteger(at: bytes.readerIndex + 3, as: UInt16.self) else { return .unknown }
        guard Self.shortestRecord...Self.longestRecord ~= Int(length) else { return .isNone }
        return view.count == Self.length ? .isHello : .unknown
    }
}
