import Synchronization
import SystemPrimitives
import Testing

@Suite(.timeLimit(.minutes(1))) struct LatchTests {
    @Test func callbacksRunOnceInTheirOrder() {
        let latch = Latch()
        let calls = Mutex<[Int]>([])
        for number in 1...3 { latch.whenOpen { calls.withLock { $0.append(number) } } }
        #expect(calls.withLock { $0 } == [])
        latch.open()
        latch.open()
        #expect(calls.withLock { $0 } == [1, 2, 3])
        latch.whenOpen { calls.withLock { $0.append(4) } }
        #expect(calls.withLock { $0 } == [1, 2, 3, 4])
    }

    @Test func aCallbackMayUseTheLatch() {
        let latch = Latch()
        let calls = Mutex(0)
        latch.whenOpen { latch.whenOpen { calls.withLock { $0 += 1 } } }
        latch.open()
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func openingResumesEveryTaskThatWaits() async {
        let latch = Latch()
        await withDiscardingTaskGroup { group in
            for _ in 1...3 {
                group.addTask { await latch.wait() }
                group.addTask { await latch.waitUnlessCancelled() }
            }
            latch.open()
        }
        await latch.wait()
        await latch.waitUnlessCancelled()
    }

    @Test func cancellationEndsOnlyTheWaitThatSaysSo() async {
        let latch = Latch()
        let order = Noted<[String]>([])
        await withDiscardingTaskGroup { group in
            group.addTask {
                await latch.wait()
                order.value.withLock { $0.append("opened") }
            }
            group.addTask {
                await latch.waitUnlessCancelled()
                await untilCancelled()
                order.value.withLock { $0.append("cancelled") }
                latch.open()
            }
            group.cancelAll()
        }
        #expect(order.value.withLock { $0 } == ["cancelled", "opened"])
    }
}

/// A value that child tasks change.
final class Noted<Value: Sendable>: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }
}
