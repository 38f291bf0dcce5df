import CastWire
import NIOCore
import Testing

@Suite struct HeartbeatPayloadTests {
    static let samples: [(text: String, heartbeat: HeartbeatPayload?)] = [
        (#"{"type":"PING"}"#, .ping), (#"{"type":"PONG"}"#, .pong), (#"{"type":"PING","requestId":3}"#, .ping),
        (#"{"a":"PING","type":"PONG"}"#, .pong), ("PING", .ping), ("xxPONG", .pong), ("[\"PING\"]", .ping),
        (#"{"type":"PING""#, .ping), (#"{"kind":"PONG"}"#, .pong), ("PPING", .ping), ("PIPONG", .pong),
        ("", nil), ("{}", nil), ("PIN", nil), ("ping", nil), ("PANG", nil), ("P", nil),
        (#"{"type":"GET_STATUS"}"#, nil),
    ]

    @Test(arguments: samples.indices) func isRecognised(_ index: Int) {
        #expect(HeartbeatPayload(.text(Self.samples[index].text)) == Self.samples[index].heartbeat)
    }

    @Test func binaryIsNone() {
        #expect(HeartbeatPayload(.binary(ByteBuffer(string: #"{"type":"PING"}"#))) == nil)
    }

    @Test func payloadsAreReadyMade() {
        #expect(HeartbeatPayload.ping.payload.text == #"{"type":"PING"}"#)
        #expect(HeartbeatPayload.pong.payload.text == #"{"type":"PONG"}"#)
        for heartbeat in [HeartbeatPayload.ping, .pong] { #expect(HeartbeatPayload(heartbeat.payload) == heartbeat) }
    }
}
