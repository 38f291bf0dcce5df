import NIOCore
import Testing

@testable import FeatureContract

@Suite struct InstantTimesTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    /// An instant has one time, whenever within a second it is asked for.
    @Test func timesDoNotWaver() {
        let times = InstantTimes()
        let instant = self.start + .milliseconds(400)
        let first = times.seconds(of: instant, now: self.start + .milliseconds(900), seconds: 5000)
        for step in 1...200 {
            let passed = TimeAmount.milliseconds(Int64(step * 137))
            let now = self.start + .milliseconds(900) + passed
            // A clock of whole seconds, which may turn at any moment.
            let seconds = 5000 + (Int64(step) * 137 + 650) / 1000
            #expect(times.seconds(of: instant, now: now, seconds: seconds) == first)
        }
        #expect(times.seconds(of: self.start - .seconds(100), now: self.start, seconds: 4999) == first - 100)
    }

    /// A machine may learn the time only when the gateway runs: nothing is older than the gateway then.
    @Test func timesFollowAClockThatIsSet() {
        let times = InstantTimes()
        #expect(times.seconds(of: self.start, now: self.start, seconds: 7) == 7)
        let now = self.start + .seconds(60)
        #expect(times.seconds(of: self.start, now: now, seconds: 1_800_000_060) == 1_800_000_000)
        #expect(times.seconds(of: now, now: now, seconds: 1_800_000_060) == 1_800_000_060)
    }
}
