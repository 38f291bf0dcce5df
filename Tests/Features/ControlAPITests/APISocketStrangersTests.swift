import CastWire
import NIOCore
import Testing

@testable import ControlAPI

/// Clients that show their token in the first frame, or none.
@Suite(.timeLimit(.minutes(1))) struct APISocketStrangersTests {
    private static let long = String(repeating: "x", count: 100_000)

    @Test func aClientThatHasShownItsTokenMaySendLongFrames() async throws {
        try await SocketBench.with(authority: FakeAuthority()) { bench in
            try await bench.open { socket in
                // Both at once: the first frame counts before the second is read to its end.
                socket.send(text: #"{"id":1,"auth":{"token":"good"}}"#)
                socket.send(text: #"{"id":2,"call":"thing.say","input":{"text":"\#(Self.long)"}}"#)
                let first = await socket.json()
                #expect(first.int("id") == 1 && first.object("result") != nil, "\(first)")
                let second = await socket.json()
                #expect(second.int("id") == 2 && second.object("problem") != nil, "\(second)")
            }
        }
    }

    @Test func aStrangerMaySendLittle() async throws {
        try await SocketBench.with(authority: FakeAuthority()) { bench in
            try await bench.open { socket in
                socket.send(text: #"{"id":1,"auth":{"token":"\#(Self.long)"}}"#)
                #expect(await socket.json().int("close") == 1009)
            }
            // Nor in parts.
            try await bench.open { socket in
                socket.send(0x01, ByteBuffer(string: "{"))
                for _ in 0..<1000 { socket.send(0x00, ByteBuffer(repeating: 0x20, count: 100)) }
                #expect(await socket.json().int("close") == 1009)
            }
        }
    }
}
