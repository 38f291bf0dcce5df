import NIOCore

@testable import MessageBridges

/// What a broker sends is cut into the same packets however it comes, none is longer than is taken, each is one when it is read alone,
/// and nothing behind a fault is let through.
///
/// The input: the version, how many cuts, the length of each piece, the stream behind a CONNACK.
package enum MQTTPacketTarget: FuzzTarget {
    /// `mqtt-packet`
    package static let name = "mqtt-packet"

    private static let maximumPacket = 300

    private struct Reading: Equatable {
        var packets: [ByteBuffer] = []
        var fault: MQTTMalformed?
        var rest = 0
    }

    /// Reads the stream in pieces and in one gulp.
    package static func run(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let version: MQTTConfiguration.Version = reader.once(in: 2) ? .v311 : .v5
        let lengths = reader.bytes(reader.number(below: 32)).map(Int.init)
        let greeting: [UInt8] = version == .v5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
        let stream = greeting + reader.rest()
        let whole = Self.read([stream], version)
        let cut = Self.read(Self.pieces(of: stream, lengths), version)
        try Violation.unless(whole == cut, "in one gulp \(whole), in pieces \(cut)")
        let bytes = whole.packets.flatMap { Array($0.readableBytesView) }
        try Violation.unless(stream.starts(with: bytes), "the packets are not what came")
        let isAllThere = whole.fault != nil || bytes.count + whole.rest == stream.count
        try Violation.unless(isAllThere, "\(stream.count) bytes became \(bytes.count) and \(whole.rest)")
        for packet in whole.packets.dropFirst() {
            try Violation.unless(packet.readableBytes <= Self.maximumPacket, "\(packet.readableBytes) bytes")
            let alone = Self.read([greeting + Array(packet.readableBytesView)], version)
            try Violation.unless(alone.packets.last == packet && alone.fault == nil, "\(packet) is \(alone)")
        }
    }

    private static func pieces(of stream: [UInt8], _ lengths: [Int]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = stream[...]
        for length in lengths where !rest.isEmpty {
            pieces.append(Array(rest.prefix(max(1, length))))
            rest = rest.dropFirst(max(1, length))
        }
        return pieces + [Array(rest)]
    }

    private static func read(_ pieces: [[UInt8]], _ version: MQTTConfiguration.Version) -> Reading {
        var inspector = MQTTInspector(version, maximumPacket: Self.maximumPacket)
        var reading = Reading()
        var bytes = ByteBuffer()
        for piece in pieces {
            bytes.writeBytes(piece)
            do throws(MQTTMalformed) {
                while let packet = try inspector.next(from: &bytes) { reading.packets.append(packet) }
            } catch {
                reading.fault = error
                return reading
            }
        }
        reading.rest = bytes.readableBytes
        return reading
    }
}
