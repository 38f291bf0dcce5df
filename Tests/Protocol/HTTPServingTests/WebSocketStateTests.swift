import NIOCore
import NIOWebSocket
import Testing

@testable import HTTPServing

/// The times of a WebSocket, without a loop.
@Suite struct WebSocketStateTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private func at(_ seconds: Int64) -> NIODeadline { self.start + .seconds(seconds) }

    private func frame(_ opcode: WebSocketOpcode, _ text: String = "") -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: opcode, maskKey: [0, 0, 0, 0], data: ByteBuffer(string: text))
    }

    @Test func silenceIsAskedAboutAndThenTheEnd() {
        var state = WebSocketState(limits: WebSocketLimits(), at: self.start)
        #expect(state.deadline == self.at(30))
        guard case .nothing = state.timePassed(at: self.at(29), unsent: 0) else {
            return #expect(Bool(false), "too early")
        }
        guard case .ping = state.timePassed(at: self.at(30), unsent: 0) else { return #expect(Bool(false), "no ping") }
        #expect(state.deadline == self.at(50))
        guard case .nothing = state.received(self.frame(.pong), at: self.at(40)) else {
            return #expect(Bool(false), "a pong is heard")
        }
        #expect(state.deadline == self.at(70))
        _ = state.timePassed(at: self.at(70), unsent: 0)
        guard case .disconnect = state.timePassed(at: self.at(90), unsent: 0) else {
            return #expect(Bool(false), "still there")
        }
    }

    /// A reader that is slow, and reads, is alive even if its pong stands behind much.
    @Test func progressIsASignOfLife() {
        var state = WebSocketState(limits: WebSocketLimits(), at: self.start)
        _ = state.timePassed(at: self.at(30), unsent: 0)
        state.progressed(at: self.at(45))
        #expect(state.deadline == self.at(75))
    }

    @Test func aCloseHasATimeLimit() {
        var state = WebSocketState(limits: WebSocketLimits(), at: self.start)
        guard case .sayClose(code: 4408?, reason: _) = state.close(code: 4408, reason: "", at: self.at(1)) else {
            return #expect(Bool(false), "no Close")
        }
        #expect(!state.isOpen && state.deadline == self.at(3))
        // Said once; what comes then is not heard, and extends nothing.
        guard case .nothing = state.close(code: 1001, reason: "", at: self.at(2)),
            case .nothing = state.received(self.frame(.text, "a"), at: self.at(2)),
            case .nothing = state.received(self.frame(.ping), at: self.at(2))
        else { return #expect(Bool(false), "said twice") }
        #expect(state.deadline == self.at(3))
        guard
            case .finish(code: nil, reason: _, saysClose: false) = state.received(
                self.frame(.connectionClose), at: self.at(2))
        else {
            return #expect(Bool(false), "the answer is not taken")
        }
        guard case .disconnect = state.timePassed(at: self.at(4), unsent: 0) else {
            return #expect(Bool(false), "still there")
        }
    }

    @Test func framesArePaidForByPauses() {
        var allowance = FrameAllowance(perSecond: 10, at: self.start)
        for _ in 0..<10 { allowance.take(at: self.start) }
        #expect(allowance.pause(at: self.start) == nil)
        for _ in 0..<20 { allowance.take(at: self.start) }
        #expect(allowance.pause(at: self.start) == self.at(2))
        #expect(allowance.pause(at: self.at(2)) == nil)
        // A quiet while gives one second's worth, and no more.
        for _ in 0..<10 { allowance.take(at: self.at(100)) }
        #expect(allowance.pause(at: self.at(100)) == nil)
        allowance.take(at: self.at(100))
        #expect(allowance.pause(at: self.at(100)) != nil)
    }
}
