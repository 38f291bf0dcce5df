import NIOCore
import Testing

@testable import HTTPServing

/// How long a connection stays open for a peer to read what was said.
@Suite(.timeLimit(.minutes(1))) struct CloseGracePeriodTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private func at(_ seconds: Int64) -> NIODeadline { self.start + .seconds(seconds) }

    @Test func aPeerThatWasSentAllHasAMoment() {
        var farewell = CloseGracePeriod(at: self.start)
        let verdicts = [1, 2].map { farewell.isOver(at: self.at($0), unsent: 0) }
        #expect(verdicts == [false, true])
    }

    @Test func aSlowReaderGetsAllWhileItReads() {
        var farewell = CloseGracePeriod(at: self.start)
        var deadlines: [NIODeadline] = []
        for (second, unsent) in [(2, 900), (12, 500), (22, 0)] as [(Int64, Int)] {
            guard !farewell.isOver(at: self.at(second), unsent: unsent) else { break }
            deadlines.append(farewell.deadline)
        }
        #expect(deadlines == [self.at(12), self.at(22), self.at(24)])
        let isOver = farewell.isOver(at: self.at(24), unsent: 0)
        #expect(isOver)
    }

    @Test func oneThatReadsNothingIsGivenUp() {
        var farewell = CloseGracePeriod(at: self.start)
        let verdicts = [2, 12].map { farewell.isOver(at: self.at($0), unsent: 900) }
        #expect(verdicts == [false, true])
    }

    /// The rule beside it, for an answer of HTTP whose connection ends with it.
    @Test func theLastAnswerOfAConnectionIsReadToItsEnd() {
        var state = HTTPConnectionState(limits: HTTPLimits(), at: self.start)
        state.linger(at: self.start)
        let isEarly = state.isFarewellOver(at: self.at(2), unsent: 900)
        #expect(!isEarly && state.deadline?.at == self.at(12) && state.deadline?.ending == .lingered)
        let isOver = state.isFarewellOver(at: self.at(12), unsent: 900)
        #expect(isOver)
    }
}
