import NIOCore
import NIOEmbedded
import SystemPrimitives
import Testing

@testable import DeviceSessions

@Suite struct LoopTimerTests {
    /// The loop takes all that is due at once, so what is cancelled then comes all the same.
    @Test func whatIsCancelledInTheTurnInWhichItIsDueIsNotDone() {
        let loop = EmbeddedEventLoop()
        let first = LoopTimer(on: loop)
        let second = LoopTimer(on: loop)
        var done: [Int] = []
        let deadline = loop.now + .seconds(1)
        first.set(until: deadline) {
            done.append(1)
            second.cancel()
        }
        second.set(until: deadline) { done.append(2) }
        loop.advanceTime(by: .seconds(1))
        #expect(done == [1])
        second.set(until: deadline + .seconds(1)) { done.append(3) }
        loop.advanceTime(by: .seconds(1))
        #expect(done == [1, 3])
        #expect(second.deadline == nil)
    }
}
