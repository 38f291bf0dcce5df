import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import Testing
import VirtualDevices

/// Bytes that no honest sender sends: they cost the connection that they came from, for a reason that stays the same.
@Suite(.timeLimit(.minutes(1))) struct HostileBytesTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let bytes: [UInt8]
        let fault: String

        var testDescription: String { self.name }
    }

    private static func frame(_ body: [UInt8]) -> [UInt8] {
        let count = UInt32(body.count)
        return [UInt8(count >> 24), UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)] + body
    }

    static let cases = [
        Case(name: "length 0xFFFFFFFF", bytes: [255, 255, 255, 255], fault: "frame_too_large"),
        Case(name: "no fields at all", bytes: [0, 0, 0, 0], fault: "missing_field"),
        Case(name: "no destination", bytes: frame([0x08, 0, 0x12, 1, 0x61]), fault: "missing_field"),
        Case(
            name: "a source that is not UTF-8",
            bytes: frame([0x08, 0, 0x12, 1, 0xFF, 0x1A, 1, 0x62, 0x22, 1, 0x6E, 0x28, 0, 0x32, 0]),
            fault: "invalid_text"),
        Case(name: "64 KiB of zeros", bytes: frame(Array(repeating: 0, count: 65_536)), fault: "malformed_field"),
        Case(
            name: "64 KiB of anything",
            bytes: frame((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }), fault: "malformed_field"),
        Case(name: "64 KiB of HTTP", bytes: Array("GET / HTTP/1.1\r\n".utf8), fault: "frame_too_large"),
    ]

    @Test(arguments: cases) func costTheConnection(_ hostile: Case) async throws {
        try await HostileStage.with { stage in
            try await RawPeer.connect(to: stage.port) { peer in
                try await peer.connectPlatform()
                try await peer.send(raw: ByteBuffer(bytes: hostile.bytes))
                await peer.closed()
            }
            _ = await stage.nextDisconnection()
            #expect(stage.faults == [hostile.fault])
        }
    }

    @Test func whatIsNoTLSIsClosedAtOnce() async throws {
        try await HostileStage.with { stage in
            try await RawPeer.connect(to: stage.port, tls: false) { peer in
                try await peer.send(raw: ByteBuffer(string: "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"))
                await peer.closed()
            }
            try await stage.neighbourIsServed(from: 100)
            #expect(stage.faults == ["tls_failed"])
        }
    }

    @Test func jsonOfTenThousandLevelsIsRefusedAndTheConnectionGoesOn() async throws {
        try await HostileStage.with { stage in
            try await RawPeer.connect(to: stage.port) { peer in
                try await peer.connectPlatform()
                let levels = 10_000
                let deep =
                    #"{"type":"LOAD","requestId":2,"media":"# + String(repeating: "[", count: levels)
                    + String(repeating: "]", count: levels) + "}"
                for namespace in [
                    Namespace.receiver, .media, .connection, .heartbeat, .setup, "urn:x-cast:com.example.echo",
                ] {
                    let message = CastMessage(
                        source: .platformSender, destination: .platformReceiver, namespace: namespace,
                        payload: .text(ByteBuffer(string: deep)))
                    try await peer.send(raw: CastMessage.frames([message]))
                }
                let answer = try await peer.answer(to: ["type": "GET_STATUS", "requestId": 3], id: 3)
                #expect(answer?.string("type") == "RECEIVER_STATUS")
            }
            #expect(stage.faults.isEmpty)
        }
    }

    @Test func aFrameThatDoesNotEndCostsTheConnection() async throws {
        try await HostileStage.with(SenderLimits { $0.frameTimeout = .milliseconds(50) }) { stage in
            try await RawPeer.connect(to: stage.port) { peer in
                try await peer.connectPlatform()
                try await peer.send(raw: ByteBuffer(bytes: [0, 0, 0]))
                await peer.closed()
            }
            _ = await stage.nextDisconnection()
            #expect(stage.faults == ["slow_frame"])
        }
    }

    @Test func aPeerThatNeverSpeaksTLSIsGivenUp() async throws {
        try await HostileStage.with(SenderLimits { $0.handshakeTimeout = .milliseconds(50) }) { stage in
            try await RawPeer.connect(to: stage.port, tls: false) { await $0.closed() }
            try await stage.neighbourIsServed(from: 100)
            #expect(stage.faults == ["handshake_timed_out"])
        }
    }
}
