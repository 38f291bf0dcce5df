import NIOCore
import Testing

@testable import CastDiscovery

struct AnnouncementThrottleTests {
    private var throttle = AnnouncementThrottle()

    private mutating func isAllowed(
        _ instance: String = "one", port: Int? = nil, from address: String = "192.0.2.1", at milliseconds: UInt64
    ) -> Bool {
        self.throttle.allows(
            HeardInstance(name: instance, port: port), from: address,
            at: .uptimeNanoseconds(1_000_000_000 + milliseconds * 1_000_000))
    }

    @Test mutating func eachInstanceIsToldOnceASecond() {
        let allowed = [0, 0, 999, 1000, 1500, 2000].map { self.isAllowed(at: $0) }
        #expect(allowed == [true, false, false, true, false, true])
        #expect(self.isAllowed("two", at: 2000) == true)
    }

    @Test mutating func whereADeviceIsIsToldBesideThatItIsThere() {
        #expect([nil, 8009, nil, 8009].map { self.isAllowed(port: $0, at: 0) } == [true, true, false, false])
        // Ports that are made up are no way around it.
        #expect(self.isAllowed(port: 8010, at: 500) == false)
        #expect(self.isAllowed(port: 8010, at: 1000) == true)
    }

    @Test mutating func anotherAddressIsToldBesideTheOneBefore() {
        #expect(self.isAllowed(port: 8009, at: 0) == true)
        #expect(self.isAllowed(port: 8009, from: "192.0.2.2", at: 100) == true)
        #expect(self.isAllowed(port: 8009, from: "192.0.2.2", at: 200) == false)
        // Addresses that are made up are no way around it.
        let told = stride(from: UInt64(300), to: 60000, by: 100)
            .filter { self.isAllowed(port: 8009, from: "192.0.2.\($0 / 100 % 200)", at: $0) }
        #expect(told.count <= 30 + AnnouncementThrottle.burst)
        #expect(self.throttle.count == 2)
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
            #expect(self.throttle.count <= AnnouncementThrottle.maximumBuckets)
        }
        #expect(self.isAllowed("one", at: 1) == true)
        #expect(self.isAllowed("one", at: 2) == false)
    }
}
