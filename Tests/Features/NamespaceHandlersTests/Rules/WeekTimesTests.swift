import GatewayConfig
import NIOCore
import Testing

@testable import NamespaceHandlers

@Suite struct WeekTimesTests {
    private static func minute(_ day: Int, _ hour: Int, _ minute: Int = 0) -> Int { (day * 24 + hour) * 60 + minute }

    private struct Sample {
        let text: String
        /// Day, hour and minute.
        let minutes: [[Int]]
        let isOne: Bool
    }

    private static let samples: [Sample] = [
        Sample(text: "Mon-Fri 08:00-16:00", minutes: [[0, 8, 0], [4, 15, 59]], isOne: true),
        Sample(text: "Mon-Fri 08:00-16:00", minutes: [[0, 7, 59], [4, 16, 0], [5, 9, 0]], isOne: false),
        Sample(text: "Sat 22:00-02:00", minutes: [[5, 22, 0], [6, 1, 59]], isOne: true),
        Sample(text: "Sat 22:00-02:00", minutes: [[6, 2, 0], [5, 1, 0], [6, 22, 0]], isOne: false),
        // Over the end of the week.
        Sample(text: "Sun 22:00-02:00", minutes: [[6, 23, 59], [0, 0, 0], [0, 1, 59]], isOne: true),
        Sample(text: "Sun 22:00-02:00", minutes: [[0, 2, 0], [1, 0, 0]], isOne: false),
        Sample(text: "Fri-Mon", minutes: [[4, 0, 0], [5, 12, 0], [0, 23, 59]], isOne: true),
        Sample(text: "Fri-Mon", minutes: [[3, 23, 59], [1, 0, 0]], isOne: false),
        Sample(text: "sat,SUN", minutes: [[5, 12, 0], [6, 12, 0]], isOne: true),
        Sample(text: "sat,SUN", minutes: [[4, 12, 0]], isOne: false),
        Sample(text: "22:00-06:00", minutes: [[2, 22, 0], [3, 5, 59]], isOne: true),
        Sample(text: "22:00-06:00", minutes: [[3, 6, 0]], isOne: false),
        Sample(text: "Tue 00:00-24:00", minutes: [[1, 0, 0], [1, 23, 59]], isOne: true),
        Sample(text: "Tue 00:00-24:00", minutes: [[2, 0, 0]], isOne: false),
    ]

    @Test func times() throws {
        for sample in Self.samples {
            let times = try #require(WeekTimes(sample.text))
            for minute in sample.minutes {
                let isOne = times.contains(minute: Self.minute(minute[0], minute[1], minute[2]))
                #expect(isOne == sample.isOne, "\(sample.text): \(minute)")
            }
        }
    }

    @Test(arguments: [
        "", " ", "Mon Tue", "Funday", "Mon-", "-Fri", "Mon,", "Mon--Fri", "8-16", "08:00", "08:00-", "08:00-8:30",
        "24:00-08:00",
        "08:00-24:01", "08:60-09:00", "08:00-08:00", "Mon 08:00-16:00 Tue", "08:00-16:00 Mon", "٠٨:00-16:00",
    ])
    func whatIsNoTime(text: String) {
        #expect(WeekTimes(text) == nil)
    }

    @Test(arguments: [("10/1m", 10, 60), ("1/1s", 1, 1), ("1000000/24h", 1_000_000, 86_400)])
    func rates(text: String, count: Int, seconds: Int64) throws {
        let rate = try #require(MessageRate(text))
        #expect(rate.count == count && rate.period == .seconds(seconds) && rate.description == text)
    }

    @Test(arguments: [
        "", "10", "10/", "/1m", "0/1m", "10/0s", "10/1d", "10/25h", "1000001/1s", "-1/1s", "10/1m/1", "1.5/1m",
        "010/1m",
    ])
    func whatIsNoRate(text: String) {
        #expect(MessageRate(text) == nil)
    }

    // MARK: Zones

    /// Clocks in Berlin go from 02:00 to 03:00 in March and from 03:00 to 02:00 in October.
    @Test(arguments: [
        (1_774_745_999, 6, 1, 59), (1_774_746_000, 6, 3, 0), (1_792_888_200, 6, 2, 30), (1_792_891_800, 6, 2, 30),
        (1_792_893_600, 6, 3, 0), (1_795_388_400, 0, 0, 0), (1_795_388_340, 6, 23, 59),
    ])
    func theMinuteOfTheWeekInBerlin(seconds: Int, day: Int, hour: Int, minute: Int) {
        let clock = ZoneClock("Europe/Berlin")
        #expect(clock.minuteOfWeek(secondsSince1970: seconds) == Self.minute(day, hour, minute))
        // As often as it is asked, and after another time.
        #expect(clock.minuteOfWeek(secondsSince1970: seconds) == Self.minute(day, hour, minute))
        _ = clock.minuteOfWeek(secondsSince1970: seconds - 86_400)
        #expect(clock.minuteOfWeek(secondsSince1970: seconds) == Self.minute(day, hour, minute))
    }

    @Test func zonesWithPartsOfHoursAndOtherDays() {
        let monday = 1_795_424_400  // 09:00 UTC
        #expect(ZoneClock("UTC").minuteOfWeek(secondsSince1970: monday) == Self.minute(0, 9))
        #expect(ZoneClock("Asia/Kathmandu").minuteOfWeek(secondsSince1970: monday) == Self.minute(0, 14, 45))
        #expect(ZoneClock("Pacific/Kiritimati").minuteOfWeek(secondsSince1970: monday) == Self.minute(0, 23))
        #expect(ZoneClock("Pacific/Pago_Pago").minuteOfWeek(secondsSince1970: monday) == Self.minute(6, 22))
        #expect(ZoneClock("UTC").minuteOfWeek(secondsSince1970: 0) == Self.minute(3, 0))
    }

    @Test func namesOfZones() {
        #expect(ZoneClock.isKnown("Europe/Berlin") && ZoneClock.isKnown("UTC"))
        #expect(!ZoneClock.isKnown("Europe/Berln") && !ZoneClock.isKnown("") && !ZoneClock.isKnown("../etc/passwd"))
    }
}
