import CastWire
import NIOCore
import Testing

/// The frames of the protocol notes, 2.9.
@Suite struct CastMessageVectorTests {
    struct Vector: Sendable {
        let message: CastMessage
        let frame: String
    }

    private static let ends = "0800120873656e6465722d301a0a72656365697665722d30"

    static let vectors: [Vector] = [
        Vector(
            message: CastMessage(
                source: "sender-0", destination: "receiver-0", namespace: .connection,
                payload: .text(#"{"type":"CONNECT"}"#)),
            frame: "00000058\(ends)222875726e3a782d636173743a636f6d2e676f6f676c652e636173742e74702e"
                + "636f6e6e656374696f6e280032127b2274797065223a22434f4e4e454354227d"),
        Vector(
            message: CastMessage(
                source: "sender-0", destination: "receiver-0", namespace: .heartbeat,
                payload: HeartbeatPayload.ping.payload),
            frame: "00000054\(ends)222775726e3a782d636173743a636f6d2e676f6f676c652e636173742e74702e"
                + "6865617274626561742800320f7b2274797065223a2250494e47227d"),
        Vector(
            message: CastMessage(
                source: "sender-0", destination: "receiver-0", namespace: .receiver,
                payload: ReceiverRequest.getStatus(requestID: 1).payload),
            frame: "00000064\(ends)222375726e3a782d636173743a636f6d2e676f6f676c652e636173742e726563"
                + "656976657228003223"
                + "7b2274797065223a224745545f535441545553222c22726571756573744964223a317d"),
        Vector(
            message: CastMessage(
                source: "sender-0", destination: "receiver-0", namespace: .deviceAuth,
                payload: DeviceAuthMessage(
                    challenge: AuthChallenge(senderNonce: Array(0x00...0x0F), hashAlgorithm: .sha256)
                ).payload),
            frame: "0000005c\(ends)222875726e3a782d636173743a636f6d2e676f6f676c652e636173742e74702e"
                + "646576696365617574682801" + "3a160a141210000102030405060708090a0b0c0d0e0f1801"),
    ]

    @Test(arguments: vectors) func isWrittenAsTheNotesHaveIt(_ vector: Vector) throws {
        var frame = ByteBuffer()
        try vector.message.serializeFrame(into: &frame)
        #expect(frame.hex == vector.frame)
        #expect(vector.message.serializedLength == frame.readableBytes - 4)
    }

    @Test(arguments: vectors) func isReadAsTheNotesHaveIt(_ vector: Vector) throws {
        var frame = ByteBuffer(hex: vector.frame)
        let length = frame.readInteger(as: UInt32.self)
        #expect(length.map(Int.init) == frame.readableBytes)
        // The body starts behind the length, so its offsets do not start at 0.
        #expect(try CastMessage(parsing: frame) == vector.message)
    }

    @Test func zeroEnumerationsStandOnTheWire() {
        let wire = CastMessage.sample.wire
        #expect(wire.starts(with: [0x08, 0x00]))
        let type = wire.indices.dropLast().filter { wire[$0] == 0x28 && wire[$0 + 1] == 0x00 }
        #expect(!type.isEmpty)
    }

    @Test(arguments: [UInt8(0x08), 0x28]) func absentEnumerationIsRefusedEvenWhenItsValueWouldBeZero(_ tag: UInt8) {
        var fields: [[UInt8]] = [
            [0x08, 0x00], [0x12, 0x01, 0x61], [0x1A, 0x01, 0x62], [0x22, 0x01, 0x63], [0x28, 0x00], [0x32, 0x00],
        ]
        #expect(throws: Never.self) { try CastMessage(wire: fields.flatMap(\.self)) }
        fields.removeAll { $0[0] == tag }
        #expect(throws: WireError.missingField(number: Int(tag) >> 3)) { try CastMessage(wire: fields.flatMap(\.self)) }
    }

    @Test func frameAboveTheLimitIsNotWritten() throws {
        var message = CastMessage.sample
        message.payload = .text(String(repeating: "x", count: CastMessage.maximumBodyLength))
        let length = message.serializedLength
        var frame = ByteBuffer()
        #expect(throws: WireError.frameTooLarge(declared: length, limit: 65_536)) {
            try message.serializeFrame(into: &frame)
        }
        #expect(frame.readableBytes == 0)

        let excess = length - CastMessage.maximumBodyLength
        message.payload = .text(String(repeating: "x", count: CastMessage.maximumBodyLength - excess))
        #expect(message.serializedLength == CastMessage.maximumBodyLength)
        try message.serializeFrame(into: &frame)
        #expect(frame.readableBytes == CastMessage.maximumBodyLength + 4)
    }
}
