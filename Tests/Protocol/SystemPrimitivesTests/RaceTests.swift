import Synchronization
import SystemPrimitives
import Testing

@Suite(.timeLimit(.minutes(1))) struct RaceTests {
    private enum Fault: Error { case first, second }

    @TaskLocal private static var name = "none"

    @Test func theValueOfTheFirstCounts() async {
        let left = await race {
            "left"
        } against: {
            await untilCancelled()
            return "right"
        }
        let right = await race {
            await untilCancelled()
            return "left"
        } against: {
            "right"
        }
        #expect(left == "left" && right == "right")
    }

    @Test func theErrorOfTheFirstIsThrown() async {
        await #expect(throws: Fault.second) {
            try await race { () throws(Fault) in
                await untilCancelled()
                throw .first
            } against: { () throws(Fault) in
                throw .second
            }
        }
    }

    @Test func anErrorOfTheOtherIsIgnored() async throws {
        let value = try await race {
            1
        } against: {
            await untilCancelled()
            throw Fault.second
        }
        #expect(value == 1)
    }

    @Test func theOtherHasEndedWhenTheRaceReturns() async {
        let hasEnded = Mutex(false)
        await race {
        } against: {
            await untilCancelled()
            hasEnded.withLock { $0 = true }
        }
        #expect(hasEnded.withLock { $0 })
    }

    @Test func cancellationReachesBoth() async {
        let ends = Noted(0)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await race {
                    await untilCancelled()
                    ends.value.withLock { $0 += 1 }
                } against: {
                    await untilCancelled()
                    ends.value.withLock { $0 += 1 }
                }
            }
            group.cancelAll()
        }
        #expect(ends.value.withLock { $0 } == 2)
    }

    @Test func taskLocalValuesReachBoth() async {
        let names = Mutex<[String]>([])
        await Self.$name.withValue("ours") {
            await race {
                names.withLock { $0.append(Self.name) }
            } against: {
                names.withLock { $0.append(Self.name) }
            }
        }
        #expect(names.withLock { $0 } == ["ours", "ours"])
    }
}
