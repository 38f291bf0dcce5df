import CastWire
import NIOCore
import Testing

/// Order, repetition and unknown fields.
@Suite struct CastMessageFieldTests {
    private static let expected = CastMessage(source: "a", destination: "b", namespace: "c", payload: .text("d"))

    @Test func fieldsMayStandInAnyOrder() throws {
        let message = try CastMessage(parsing: ByteBuffer(hex: "320164 2800 220163 1a0162 120161 0800"))
        #expect(message == Self.expected)
    }

    @Test func theLastOfARepeatedFieldCounts() throws {
        let message = try CastMessage(
            parsing: ByteBuffer(hex: "0801 0800 120178 120161 1a0162 220163 2801 2800 320178 320164"))
        #expect(message == Self.expected)
    }

    @Test(arguments: ["0801", "0803", "0807", "08ffffffffffffffffff01"]) func everyVersionIsRead(_ version: String)
        throws
    {
        let message = try CastMessage(parsing: ByteBuffer(hex: version + "120161 1a0162 220163 2800 320164"))
        #expect(message == Self.expected)
        #expect(message.wire.starts(with: [0x08, 0x00]))
    }

    @Test func unknownFieldsStayAsTheyWere() throws {
        let sample = CastMessage.sampleWithUnknownFields
        let read = try CastMessage(wire: sample.wire)
        #expect(read == sample)
        #expect(read.unknownFields == sample.unknownFields)
        #expect(read.wire == sample.wire)
    }

    @Test func unknownFieldsAmongKnownOnesAreWrittenBehindThem() throws {
        let message = try CastMessage(
            parsing: ByteBuffer(hex: "4001 0800 120161 4802 1a0162 220163 2800 52026566 320164"))
        #expect(message.unknownFields?.hex == "4001480252026566")
        #expect(
            ByteBuffer(bytes: message.wire).hex == "0800120161" + "1a0162" + "220163" + "2800" + "320164"
                + "4001480252026566")
        #expect(message.serializedLength == message.wire.count)
    }

    @Test func knownNumberOfAnotherWireTypeIsUnknown() throws {
        let message = try CastMessage(parsing: ByteBuffer(hex: "0800 120161 1001 1a0162 220163 2800 320164 2d01020304"))
        #expect(message.source == "a")
        #expect(message.unknownFields?.hex == "10012d01020304")
    }

    @Test func payloadSharesTheBytesOfTheFrame() throws {
        let body = ByteBuffer(bytes: CastMessage.sample.wire)
        let message = try CastMessage(parsing: body)
        let addresses = body.withUnsafeReadableBytes { whole in
            message.payload.bytes.withUnsafeReadableBytes { part in
                (whole.baseAddress.map(UInt.init(bitPattern:)), part.baseAddress.map(UInt.init(bitPattern:)))
            }
        }
        let start = try #require(addresses.0)
        let payload = try #require(addresses.1)
        #expect((start..<(start + UInt(body.readableBytes))).contains(payload))
    }

    @Test func replySwapsTheEnds() {
        let reply = CastMessage.sample.reply(json: ["type": "X"])
        #expect(reply.source == "receiver-0")
        #expect(reply.destination == "sender-0")
        #expect(reply.namespace == .media)
        #expect(reply.payload.text == #"{"type":"X"}"#)
    }
}
