internal import Glibc

/// A moment as a log line shows it.
struct LogInstant: Sendable, Equatable {
    /// Seconds since 1970.
    var seconds: Int64
    /// 0 to 999.
    var milliseconds: Int
    /// How far local time is ahead of UTC, in seconds.
    var localOffset: Int64 = 0

    /// The moment at which this is called.
    static var now: LogInstant {
        var now = timeval()
        gettimeofday(&now, nil)
        var local = tm()
        var seconds = now.tv_sec
        localtime_r(&seconds, &local)
        return LogInstant(
            seconds: Int64(now.tv_sec), milliseconds: Int(now.tv_usec) / 1000, localOffset: Int64(local.tm_gmtoff))
    }

    /// UTC with milliseconds in the form of RFC 3339: `2026-01-31T08:05:09.007Z`.
    var utcText: String {
        "\(self.dateText(offset: 0))T\(self.clockText(offset: 0))Z"
    }

    /// Local date and time of day with milliseconds: `2026-01-31 09:05:09.007`.
    var localText: String {
        "\(self.dateText(offset: self.localOffset)) \(self.clockText(offset: self.localOffset))"
    }

    private func dateText(offset: Int64) -> String {
        let days = Self.floorDivided(self.seconds + offset, by: 86_400)
        let (year, month, day) = Self.civilDate(daysSince1970: days)
        return "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
    }

    private func clockText(offset: Int64) -> String {
        let local = self.seconds + offset
        let second = local - Self.floorDivided(local, by: 86_400) * 86_400
        let parts = [second / 3600, second / 60 % 60, second % 60].map { Self.digits($0, 2) }
        return parts.joined(separator: ":") + "." + Self.digits(Int64(self.milliseconds), 3)
    }

    private static func digits(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    private static func floorDivided(_ value: Int64, by divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
    }

    /// The Gregorian date of a day. Counts in eras of 400 years that begin on 1 March, so that leap days come last.
    private static func civilDate(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = daysSince1970 + 719_468
        let era = Self.floorDivided(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
