import CastTransport
import CastWire
import CastwayTestSupport
import GatewayTesting
import NIOCore
import NIOEmbedded
import NIOTestUtils
import Testing

@Suite struct CastFrameDecoderTests {
    private static let messages: [CastMessage] = [
        .ping, .challenge, .test(#"{"type":"GET_STATUS","requestId":1}"#, in: .receiver), .test("", in: .media),
        .test(String(repeating: "ü", count: 100), in: .media, to: "app"),
    ]

    @Test func everyWayOfCuttingGivesTheSameMessages() throws {
        let pairs = try Self.messages.map { (try $0.frame(), [$0]) }
        let all = try CastMessage.frames(Self.messages)
        try ByteToMessageDecoderVerifier.verifyDecoder(
            inputOutputPairs: pairs + [(all, Self.messages)], decoderFactory: { CastFrameDecoder() })
    }

    @Test func aCutAtEveryPlaceOfSeveralFrames() throws {
        let all = try CastMessage.frames(Self.messages)
        for cut in 0...all.readableBytes {
            let plain = try PlainChannel()
            try plain.connect()
            let head = try #require(all.getSlice(at: 0, length: cut))
            let tail = try #require(all.getSlice(at: cut, length: all.readableBytes - cut))
            try plain.channel.writeInbound(head)
            try plain.channel.writeInbound(tail)
            #expect(plain.delegate.received == Array(Self.messages.dropFirst()), "cut at \(cut)")
        }
    }

    @Test func theHeaderAloneCondemnsALargeFrame() throws {
        let plain = try PlainChannel()
        try plain.connect()
        try plain.channel.writeInbound(ByteBuffer(bytes: [255, 255, 255, 255]))
        #expect(
            plain.delegate.essence == [
                .ready, .closed(.malformed(.frameTooLarge(declared: 4_294_967_295, limit: 65_536))),
            ])
    }

    @Test func theLargestFrameIsTakenAndOneByteMoreIsNot() throws {
        var message = CastMessage.test("", in: .media)
        let room = CastMessage.maximumBodyLength - message.serializedLength - 2
        message.payload = .text(String(repeating: "x", count: room))
        #expect(message.serializedLength == CastMessage.maximumBodyLength)
        let plain = try PlainChannel()
        try plain.connect()
        try plain.read(message)
        #expect(plain.delegate.received == [message])
        try plain.channel.writeInbound(ByteBuffer(bytes: [0, 1, 0, 1]))
        #expect(plain.delegate.calls.last == .closed(.malformed(.frameTooLarge(declared: 65_537, limit: 65_536))))
    }

    @Test(
        arguments: [
            ([0x08, 0x00, 0x12], "truncated_message"),
            ([0x08] + [UInt8](repeating: 0xFF, count: 11), "malformed_field"), ([0x08, 0x00], "missing_field"),
            ([0x08, 0x00, 0x12, 0x00, 0x1A, 0x01, 0x61, 0x22, 0x01, 0x61, 0x28, 0x00, 0x32, 0x00], "empty_field"),
            (
                [0x08, 0x00, 0x12, 0x01, 0xFF, 0x1A, 0x01, 0x61, 0x22, 0x01, 0x61, 0x28, 0x00, 0x32, 0x00],
                "invalid_text"
            ),
            (
                [0x08, 0x00, 0x12, 0x01, 0x61, 0x1A, 0x01, 0x61, 0x22, 0x01, 0x61, 0x28, 0x07, 0x32, 0x00],
                "invalid_value"
            ),
            ([], "missing_field"),
        ] as [([UInt8], String)])
    func oneMalformedFrameCostsTheConnectionOnce(_ body: [UInt8], _ label: String) throws {
        let plain = try PlainChannel()
        try plain.connect()
        var frame = ByteBuffer(integer: UInt32(body.count))
        frame.writeBytes(body)
        frame.writeImmutableBuffer(try CastMessage.test("never seen", in: .media).frame())
        try plain.channel.writeInbound(frame)
        plain.advance(by: .seconds(60))
        #expect(plain.delegate.essence.count == 2)
        guard case .closed(.malformed(let error)) = plain.delegate.essence.last else {
            Issue.record("the connection was not closed: \(plain.delegate.calls)")
            return
        }
        #expect(error.label == label)
        #expect(!plain.channel.isActive)
    }

    @Test func aFrameCutByTheEndIsGivenUpSilently() throws {
        let plain = try PlainChannel()
        try plain.connect()
        let frame = try CastMessage.test("cut", in: .media).frame()
        try plain.channel.writeInbound(try #require(frame.getSlice(at: 0, length: 20)))
        _ = try plain.channel.finish(acceptAlreadyClosed: true)
        #expect(plain.delegate.essence == [.ready, .closed(nil)])
    }
}
