import NIOCore
import Testing

@testable import GatewayApp

/// A clock that is set is told from one that goes on.
@Suite struct ClockComparisonTests {
    private static let start = NIODeadline.uptimeNanoseconds(5_000_000_000)

    @Test func aClockThatGoesOnIsNotSet() {
        var comparison = ClockComparison(seconds: 1_800_000_000, now: Self.start)
        for minute in Int64(1)...60 {
            let now = Self.start + .minutes(minute) + .milliseconds(900)
            let step = comparison.step(seconds: 1_800_000_000 + minute * 60 + minute % 2, now: now)
            #expect(step == nil)
        }
    }

    @Test(arguments: [7 * 365 * 86_400, 3600, 2, -2, -3600, 1 << 60, -(1 << 60)] as [Int64]) func aStepIsSeenOnce(
        _ step: Int64
    ) {
        var comparison = ClockComparison(seconds: 1_800_000_000, now: Self.start)
        let now = Self.start + .seconds(20)
        let seconds = (1_800_000_020 as Int64).addingReportingOverflow(step).partialValue
        let first = comparison.step(seconds: seconds, now: now)
        #expect(first != nil)
        let second = comparison.step(
            seconds: seconds.addingReportingOverflow(20).partialValue, now: now + .seconds(20))
        #expect(second == nil)
    }
}
