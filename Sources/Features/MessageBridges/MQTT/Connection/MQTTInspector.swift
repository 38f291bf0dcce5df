import NIOCore

/// Bytes of a broker that are no MQTT, and why the connection ends.
struct MQTTMalformed: Error, Hashable, CustomStringConvertible {
    /// The packet and its fault: `PUBLISH: unknown property 127`.
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Cuts what a broker sends into packets and checks each of them whole, before libmosquitto reads it: version 2.0.11 aborts the process
/// at a property that it does not know. Knows no socket.
///
/// The rules are those of MQTT 5 and 3.1.1 for what a server sends, and of this client: it allows no topic aliases and has no enhanced
/// authentication. Text is checked as UTF-8, payloads are not looked at.
struct MQTTInspector: Sendable {
    /// The longest packet that is taken, in bytes with its header. A broker of version 5 is told it; one of 3.1.1 cannot be.
    private let maximumPacket: Int
    private let version: MQTTConfiguration.Version
    private var isAccepted = false

    init(_ version: MQTTConfiguration.Version, maximumPacket: Int) {
        self.version = version
        self.maximumPacket = maximumPacket
    }

    /// Takes the next packet off the front of what has come.
    /// - Returns: the packet with its header; nil when it has not come whole.
    /// - Throws: ``MQTTMalformed``. Nothing that follows can be read then.
    mutating func next(from bytes: inout ByteBuffer) throws(MQTTMalformed) -> ByteBuffer? {
        var header = bytes
        guard let first: UInt8 = header.readInteger() else { return nil }
        guard let kind = MQTTPacketKind(rawValue: first >> 4), kind != .disconnect || self.version == .v5 else {
            throw MQTTMalformed("no packet of a broker begins with byte \(first)")
        }
        do throws(MQTTMalformed) {
            try kind.check(flags: first & 0x0F)
            guard let length = try header.readVariableInteger(isWhole: false) else { return nil }
            let size = bytes.readableBytes - header.readableBytes + length
            guard size <= self.maximumPacket else {
                throw MQTTMalformed("\(size) bytes are more than \(self.maximumPacket)")
            }
            guard var body = header.readSlice(length: length) else { return nil }
            guard self.isAccepted != (kind == .connack) else {
                throw MQTTMalformed(self.isAccepted ? "a second one" : "it comes before a CONNACK")
            }
            self.isAccepted = true
            try self.check(kind, flags: first & 0x0F, &body)
            return bytes.readSlice(length: size)
        } catch {
            throw MQTTMalformed("\(kind): \(error)")
        }
    }

    private func check(_ kind: MQTTPacketKind, flags: UInt8, _ body: inout ByteBuffer) throws(MQTTMalformed) {
        switch kind {
        case .connack:
            guard try body.readByte() <= 1 else { throw MQTTMalformed("reserved flags are set") }
            let code = try body.readByte()
            // A broker that knows no MQTT 5 may refuse it in the words of 3.1.1.
            let isFormer = code == 1 && body.readableBytes == 0
            if self.version == .v5, !isFormer { try MQTTPropertyBlock.check(&body, of: kind) }
            try body.requireEnd()
        case .publish:
            guard try !body.readText().isEmpty else { throw MQTTMalformed("it has no topic") }
            if flags & 0b0110 != 0 { try body.readPacketNumber() }
            if self.version == .v5 { try MQTTPropertyBlock.check(&body, of: kind) }
        case .puback, .pubrec, .pubrel, .pubcomp:
            try body.readPacketNumber()
            if self.version == .v5 { try Self.checkReason(&body, of: kind) }
            try body.requireEnd()
        case .suback, .unsuback:
            try body.readPacketNumber()
            if self.version == .v5 { try MQTTPropertyBlock.check(&body, of: kind) }
            let hasCodes = self.version == .v5 || kind == .suback
            guard hasCodes == (body.readableBytes > 0) else {
                throw MQTTMalformed(hasCodes ? "it has no reason codes" : "something is behind its end")
            }
        case .pingresp: try body.requireEnd()
        case .disconnect:
            try Self.checkReason(&body, of: kind)
            try body.requireEnd()
        }
    }

    /// The reason code of MQTT 5, and the properties behind it; each may be missing.
    private static func checkReason(_ body: inout ByteBuffer, of kind: MQTTPacketKind) throws(MQTTMalformed) {
        guard body.readableBytes > 0 else { return }
        _ = try body.readByte()
        if body.readableBytes > 0 { try MQTTPropertyBlock.check(&body, of: kind) }
    }
}

/// The packets that a broker may send (2.1.2 of MQTT 5), without AUTH: this client asks for no enhanced authentication.
enum MQTTPacketKind: UInt8, CustomStringConvertible {
    case connack = 2
    case publish, puback, pubrec, pubrel, pubcomp
    case suback = 9
    case unsuback = 11
    case pingresp = 13
    case disconnect

    var description: String {
        switch self {
        case .connack: "CONNACK"
        case .publish: "PUBLISH"
        case .puback: "PUBACK"
        case .pubrec: "PUBREC"
        case .pubrel: "PUBREL"
        case .pubcomp: "PUBCOMP"
        case .suback: "SUBACK"
        case .unsuback: "UNSUBACK"
        case .pingresp: "PINGRESP"
        case .disconnect: "DISCONNECT"
        }
    }

    /// Checks the lower half of the first byte (2.1.3 of MQTT 5).
    fileprivate func check(flags: UInt8) throws(MQTTMalformed) {
        let isRight =
            switch self {
            case .publish: flags & 0b0110 != 0b0110 && flags & 0b1110 != 0b1000
            case .pubrel: flags == 0b0010
            default: flags == 0
            }
        guard isRight else { throw MQTTMalformed("it cannot have the flags \(flags)") }
    }
}

extension ByteBuffer {
    fileprivate static let cut = MQTTMalformed("it ends too early")

    fileprivate mutating func readPacketNumber() throws(MQTTMalformed) {
        guard let number: UInt16 = self.readInteger() else { throw Self.cut }
        guard number != 0 else { throw MQTTMalformed("it has the number 0") }
    }

    fileprivate func requireEnd() throws(MQTTMalformed) {
        guard self.readableBytes == 0 else { throw MQTTMalformed("something is behind its end") }
    }

    mutating func readByte() throws(MQTTMalformed) -> UInt8 {
        guard let byte: UInt8 = self.readInteger() else { throw Self.cut }
        return byte
    }

    /// Takes a number of so many bytes, 2 or 4.
    mutating func readNumber(bytes count: Int) throws(MQTTMalformed) -> UInt32 {
        guard let bytes = self.readBytes(length: count) else { throw Self.cut }
        return bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Takes bytes with their length before them (1.5.6 of MQTT 5).
    @discardableResult mutating func readBinary() throws(MQTTMalformed) -> ByteBuffer {
        guard let length: UInt16 = self.readInteger(), let bytes = self.readSlice(length: Int(length)) else {
            throw Self.cut
        }
        return bytes
    }

    /// Takes text with its length before it: UTF-8 without NUL (1.5.4 of MQTT 5).
    @discardableResult mutating func readText() throws(MQTTMalformed) -> String {
        let bytes = try self.readBinary()
        guard let text = String(validating: bytes.readableBytesView, as: UTF8.self), !text.utf8.contains(0) else {
            throw MQTTMalformed("it has text that is not UTF-8, or has NUL")
        }
        return text
    }

    /// Takes a number of one to four bytes, seven bits each (1.5.5 of MQTT 5).
    /// - Parameter isWhole: whether all has come that will, so that a number that is cut is a fault.
    /// - Returns: nil for a number that has not come whole.
    mutating func readVariableInteger(isWhole: Bool) throws(MQTTMalformed) -> Int? {
        var value = 0
        for index in 0..<4 {
            guard let byte: UInt8 = self.readInteger() else {
                if isWhole { throw Self.cut }
                return nil
            }
            value |= Int(byte & 0x7F) << (7 * index)
            guard byte & 0x80 != 0 else {
                guard index == 0 || byte != 0 else { throw MQTTMalformed("a length has more bytes than it needs") }
                return value
            }
        }
        throw MQTTMalformed("a length has more than 4 bytes")
    }
}
