import NIOCore
import Testing

@testable import HTTPServing

@Suite struct HTTPConnectionStateTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private let limits = HTTPLimits(
        handshakeTimeout: .seconds(1), requestTimeout: .seconds(10), idleTimeout: .seconds(30), maximumBodyBytes: 100)

    private func at(_ seconds: Int64) -> NIODeadline { self.start + .seconds(seconds) }

    @Test func bytesExtendNothing() {
        var state = HTTPConnectionState(limits: self.limits, at: self.start)
        #expect(state.deadline?.at == self.at(30) && state.deadline?.ending == .idle)
        for second in 5..<15 { #expect(state.received(at: self.at(Int64(second))) == .pass) }
        #expect(state.deadline?.at == self.at(15) && state.deadline?.ending == .slowRequest)
        #expect(state.head(bodyLength: 50, at: self.at(14)) == .pass)
        #expect(state.body(1) == .pass)
        #expect(state.received(at: self.at(14)) == .pass)
        #expect(state.deadline?.at == self.at(15))
    }

    @Test func whileTheGatewayIsAtWorkNothingIsAskedOfThePeer() {
        var state = HTTPConnectionState(limits: self.limits, at: self.start)
        _ = state.received(at: self.at(1))
        _ = state.head(bodyLength: nil, at: self.at(1))
        #expect(state.end() == .pass)
        #expect(state.deadline == nil)
        #expect(!state.isIdle)
        state.writable(false, at: self.at(20))
        state.writable(false, at: self.at(25))
        #expect(state.deadline?.at == self.at(30) && state.deadline?.ending == .slowReader)
        state.writable(true, at: self.at(29))
        #expect(state.deadline == nil)
        state.answered(at: self.at(40))
        #expect(state.isIdle)
        #expect(state.deadline?.at == self.at(70) && state.deadline?.ending == .idle)
    }

    @Test func anAnswerBeforeTheEndOfItsRequestIsTheLast() {
        var state = HTTPConnectionState(limits: self.limits, at: self.start)
        _ = state.received(at: self.at(1))
        _ = state.head(bodyLength: 10, at: self.at(1))
        #expect(state.isAnswerLast)
        _ = state.end()
        #expect(!state.isAnswerLast)
        // The next request is being read while the first is answered.
        _ = state.received(at: self.at(2))
        _ = state.head(bodyLength: 10, at: self.at(2))
        #expect(!state.isAnswerLast)
        state.answered(at: self.at(3))
        #expect(state.isAnswerLast)
    }

    @Test func bodiesAreBounded() {
        var state = HTTPConnectionState(limits: self.limits, at: self.start)
        #expect(state.head(bodyLength: 101, at: self.at(1)) == .refuse)
        var other = HTTPConnectionState(limits: self.limits, at: self.start)
        #expect(other.head(bodyLength: nil, at: self.at(1)) == .pass)
        #expect(other.body(100) == .pass)
        #expect(other.body(1) == .refuse)
    }

    @Test func lingeringDropsAllAndEnds() {
        var state = HTTPConnectionState(limits: self.limits, at: self.start)
        _ = state.received(at: self.at(1))
        state.linger(at: self.at(2))
        state.linger(at: self.at(3))
        #expect(state.received(at: self.at(3)) == .drop)
        #expect(state.head(bodyLength: nil, at: self.at(3)) == .drop)
        #expect(state.body(1) == .drop)
        #expect(state.end() == .drop)
        #expect(state.deadline?.at == self.at(4) && state.deadline?.ending == .lingered)
    }
}
