import NIOCore
import Testing

@testable import CastDiscovery

struct AnnouncementThrottleTests {
    private var throttle = AnnouncementThrottle()

    private mutating func isAllowed(_ instance: String = "one", at milliseconds: UInt64) -> Bool {
        self.throttle.allows(instance, at: .uptimeNanoseconds(1_000_000_000 + milliseconds * 1_000_000))
    }

    @Test mutating func eachInstanceIsToldOnceASecond() {
        let allowed = [0, 0, 999, 1000, 1500, 2000].map { self.isAllowed(at: $0) }
        #expect(allowed == [true, false, false, true, false, true])
        #expect(self.isAllowed("two", at: 2000) == true)
    }

    @Test mutating func whatGoesOnAndOnIsToldEveryTwoSeconds() {
        let told = stride(from: UInt64(0), to: 60000, by: 100).filter { self.isAllowed(at: $0) }
        #expect(told.count <= 30 + AnnouncementThrottle.burst)
        #expect(zip(told, told.dropFirst()).allSatisfy { $1 - $0 >= 1000 })
        #expect(zip(told.dropFirst(8), told.dropFirst(9)).allSatisfy { $1 - $0 == 2000 })
        // After some silence it is as if nothing had been.
        #expect([0, 1000, 2000].map { self.isAllowed(at: 70000 + $0) } == [true, true, true])
    }

    @Test mutating func namesThatAreMadeUpTakeNoRoomAndMuteNobody() {
        for number in 0..<20000 {
            #expect(self.isAllowed("made-up-\(number)", at: 0) == true)
            #expect(self.throttle.count <= AnnouncementThrottle.maximumInstances)
        }
        #expect(self.isAllowed("one", at: 1) == true)
        #expect(self.isAllowed("one", at: 2) == false)
    }
}
