import GatewayCore
import GatewayTesting
import Synchronization
import Testing

/// What goes by the time of day hears that the clock was set.
@Suite(.timeLimit(.minutes(1))) struct ClockStepsTests {
    @Test func observersHearUntilTheyAreLetGo() {
        let steps = ClockSteps()
        let count = Mutex(0)
        var first: ClockObservation? = steps.observe { count.withLock { $0 += 1 } }
        let second = steps.observe { count.withLock { $0 += 10 } }
        steps.announce()
        #expect(count.withLock { $0 } == 11)
        first = nil
        #expect(first == nil)
        steps.announce()
        #expect(count.withLock { $0 } == 21)
        second.cancel()
        steps.announce()
        #expect(count.withLock { $0 } == 21)
    }

    @Test func aRoundIsDoneAfterItsIntervalAndAfterAStep() async {
        let (steps, clock) = (ClockSteps(), TestClock())
        let (rounds, input) = AsyncStream.makeStream(of: Int.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var count = 0
                await steps.repeating(every: .seconds(3600), by: clock) {
                    count += 1
                    input.yield(count)
                    // A step that comes during a round has another one follow.
                    if count == 2 { steps.announce() }
                }
            }
            var seen = rounds.makeAsyncIterator()
            await clock.waitForSleepers()
            clock.advance(by: .seconds(3600))
            #expect(await seen.next() == 1)
            await clock.waitForSleepers()
            steps.announce()
            #expect(await seen.next() == 2)
            #expect(await seen.next() == 3)
            group.cancelAll()
        }
    }
}
