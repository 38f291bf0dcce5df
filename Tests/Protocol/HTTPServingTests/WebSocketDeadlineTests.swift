import CastwayTestSupport
import HTTPServing
import NIOCore
import NIOWebSocket
import Testing

@testable import HTTPServing

/// How long a message of the peer may take.
@Suite(.timeLimit(.minutes(1))) struct WebSocketDeadlineTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private func at(_ seconds: Int64) -> NIODeadline { self.start + .seconds(seconds) }

    private func frame(_ opcode: WebSocketOpcode, fin: Bool = true) -> WebSocketFrame {
        WebSocketFrame(fin: fin, opcode: opcode, maskKey: [0, 0, 0, 0], data: ByteBuffer(string: "a"))
    }

    @Test func aMessageHasItsTimeFromItsFirstByte() {
        var state = WebSocketState(limits: WebSocketLimits(), at: self.start)
        state.receivedBytes(at: self.at(1))
        #expect(state.deadline == self.at(11))
        _ = state.received(self.frame(.text, fin: false), at: self.at(2))
        // Neither its parts nor what stands between them give it more.
        for second in 3..<10 {
            state.receivedBytes(at: self.at(Int64(second)))
            _ = state.received(self.frame(.ping), at: self.at(Int64(second)))
            _ = state.received(self.frame(.continuation, fin: false), at: self.at(Int64(second)))
        }
        #expect(state.deadline == self.at(11))
        guard case .finish(code: 1008?, reason: _, saysClose: true) = state.timePassed(at: self.at(11), unsent: 0)
        else {
            Issue.record("the message may go on")
            return
        }
        #expect(!state.isOpen)
    }

    @Test func aMessageThatIsCompleteHasNoTime() {
        var state = WebSocketState(limits: WebSocketLimits(), at: self.start)
        state.receivedBytes(at: self.at(1))
        _ = state.received(self.frame(.text, fin: false), at: self.at(1))
        state.receivedBytes(at: self.at(5))
        _ = state.received(self.frame(.continuation), at: self.at(5))
        #expect(state.deadline == self.at(35))
    }

    private final class Deaf: WebSocketEndpoint {
        func opened() {}
        func received(text: ByteBuffer) {}
        func received(binary: ByteBuffer) {}
        func becameWritable() {}
        func ended() {}
    }

    /// A part of a message, and a part of a frame.
    @Test(arguments: [[0x01, 0x81, 0, 0, 0, 0, 0x61], [0x81, 0xFE, 0x10], [0x82]] as [[UInt8]])
    func halfAMessageEndsTheSocket(bytes: [UInt8]) async throws {
        let limits = WebSocketLimits(messageTimeout: .milliseconds(50))
        try await ListenerBench.with(upgrades: { _ in
            .accept(WebSocketAcceptance(limits: limits) { _ in Deaf() })
        }) { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                let socket = WebSocketPeer(peer)
                #expect(await socket.open().hasPrefix("HTTP/1.1 101"))
                peer.send(ByteBuffer(bytes: bytes))
                #expect(await socket.next()?.code == 1008)
                #expect(await socket.next() == nil)
            }
        }
    }
}
