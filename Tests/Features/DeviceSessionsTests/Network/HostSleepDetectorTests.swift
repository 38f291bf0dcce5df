import Testing

@testable import DeviceSessions

@Suite struct HostSleepDetectorTests {
    private func clocks(_ monotonic: Int64, boottime: Int64, realtime: Int64) -> HostClocks {
        let second: Int64 = 1_000_000_000
        return HostClocks(monotonic: monotonic * second, boottime: boottime * second, realtime: realtime * second)
    }

    @Test func timeThatPassesIsNoSleep() {
        var detector = HostSleepDetector(self.clocks(100, boottime: 100, realtime: 1000))
        #expect(detector.check(self.clocks(101, boottime: 101, realtime: 1001)) == nil)
        #expect(detector.check(self.clocks(500, boottime: 500, realtime: 1400)) == nil)
        // The wall clock was set back.
        #expect(detector.check(self.clocks(501, boottime: 501, realtime: 900)) == nil)
    }

    @Test func aSleepIsToldOnce() {
        var detector = HostSleepDetector(self.clocks(100, boottime: 100, realtime: 1000))
        #expect(detector.check(self.clocks(101, boottime: 161, realtime: 1061)) == .seconds(60))
        #expect(detector.check(self.clocks(102, boottime: 162, realtime: 1062)) == nil)
    }

    @Test func aMachineThatStoodStillIsKnownByTheWallClock() {
        var detector = HostSleepDetector(self.clocks(100, boottime: 100, realtime: 1000))
        #expect(detector.check(self.clocks(101, boottime: 101, realtime: 1031)) == .seconds(30))
    }

    @Test func theHostsOwnClocksGoTogether() {
        var detector = HostSleepDetector(.now())
        #expect(detector.check(.now()) == nil)
    }
}
