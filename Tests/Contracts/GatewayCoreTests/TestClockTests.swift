import GatewayTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct TestClockTests {
    @Test func sleepersWakeWhenTheTestSaysSo() async throws {
        let clock = TestClock()
        async let slept: Void = clock.sleep(for: .seconds(5))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(4))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        try await slept
        #expect(clock.now.offset == .seconds(5))
    }

    @Test func aCancelledSleeperThrows() async {
        let clock = TestClock()
        let task = Task { try await clock.sleep(for: .seconds(5)) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
