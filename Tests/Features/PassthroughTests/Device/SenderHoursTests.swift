import DeviceListening
import GatewayConfig
import Testing

@testable import Passthrough

@Suite struct SenderHoursTests {
    /// Monday, 5 January 2026, 00:00 UTC.
    private static let monday: Int64 = 1_767_571_200

    private func hours(_ times: String...) throws -> SenderHours {
        var rules = SenderRules()
        rules.during = try times.map { try #require(WeekTimes($0)) }
        return SenderHours(rules, timeZone: "UTC")
    }

    @Test func withoutTimesEveryTimeIsGood() throws {
        let hours = try self.hours()
        #expect(hours.allows(at: Self.monday))
        #expect(hours.pause(at: Self.monday) == nil)
    }

    @Test func theNextChangeIsWaitedFor() throws {
        let hours = try self.hours("08:00-23:00")
        let early = Self.monday + 7 * 3600 + 59 * 60 + 20
        #expect(!hours.allows(at: early))
        #expect(hours.pause(at: early) == 40)
        #expect(hours.allows(at: early + 40))
        let late = Self.monday + 22 * 3600 + 30 * 60
        #expect(hours.allows(at: late))
        #expect(hours.pause(at: late) == 1800)
        #expect(!hours.allows(at: late + 1800))
    }

    @Test func itIsLookedAtOnceAnHourAtLeast() throws {
        let hours = try self.hours("Sat,Sun")
        #expect(hours.pause(at: Self.monday) == 3600)
    }
}
