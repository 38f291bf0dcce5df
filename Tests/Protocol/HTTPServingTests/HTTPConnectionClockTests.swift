import NIOCore
import Testing

@testable import HTTPServing

/// When the time of a request begins that comes while another is being answered.
@Suite struct HTTPConnectionClockTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private let limits = HTTPLimits(requestTimeout: .seconds(10), idleTimeout: .seconds(30))

    private func at(_ seconds: Int64) -> NIODeadline { self.start + .seconds(seconds) }

    private func whole(_ state: inout HTTPConnectionState, at seconds: Int64) {
        _ = state.received(at: self.at(seconds))
        _ = state.head(bodyLength: nil, at: self.at(seconds))
        _ = state.end()
    }

    @Test func bytesBehindARequestDoNotEndItsAnswer() {
        var state = HTTPConnectionState(limits: self.limits, at: self.start)
        self.whole(&state, at: 1)
        // An empty line (RFC 9112, 2.2), or the beginning of a request.
        #expect(state.received(at: self.at(2)) == .pass)
        #expect(state.deadline == nil)
        state.answered(at: self.at(100))
        #expect(state.deadline?.at == self.at(110) && state.deadline?.ending == .slowRequest)
    }

    @Test func aBodyHasItsTimeFromTheEndOfTheAnswerBeforeIt() {
        var state = HTTPConnectionState(limits: self.limits, at: self.start)
        self.whole(&state, at: 1)
        self.whole(&state, at: 1)
        _ = state.received(at: self.at(2))
        _ = state.head(bodyLength: 10, at: self.at(2))
        #expect(state.deadline == nil)
        state.answered(at: self.at(20))
        #expect(state.deadline == nil)
        state.answered(at: self.at(30))
        #expect(state.deadline?.at == self.at(40) && state.deadline?.ending == .slowRequest)
        _ = state.received(at: self.at(35))
        _ = state.body(10)
        _ = state.end()
        #expect(state.deadline == nil)
    }
}
