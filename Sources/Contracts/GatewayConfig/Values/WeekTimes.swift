/// A time that comes again every week: `Mon-Fri 08:00-16:00`, `Sat,Sun`, `22:00-06:00`.
///
/// Hours that end before they begin reach into the next day: `Sat 22:00-02:00` ends on Sunday.
package struct WeekTimes: Hashable, Sendable, CustomStringConvertible {
    package static let minutesPerWeek = 7 * Self.minutesPerDay
    private static let minutesPerDay = 1440
    private static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    /// The text as it was written.
    package let description: String
    /// A bit for each day on which the hours begin, Monday first.
    private let days: UInt8
    /// Minutes of the day; the end is not part of it.
    private let start: Int
    private let end: Int

    /// Reads days, hours, or days and hours; nil for anything else. Days are `Mon`, `Mon-Fri` or `Sat,Sun`; without days the
    /// hours are of every day, without hours the days are whole.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard let first = words.first, let last = words.last, words.count <= 2 else { return nil }
        let hours = Self.hours(last)
        guard words.count == 1 || hours != nil, let days = words.count == 1 && hours != nil ? 0x7F : Self.days(first)
        else { return nil }
        self.description = text
        self.days = days
        (self.start, self.end) = hours ?? (0, Self.minutesPerDay)
    }

    /// True if a minute of the week is part of it; 0 is Monday, 00:00.
    package func contains(minute: Int) -> Bool {
        let day = minute / Self.minutesPerDay
        let time = minute % Self.minutesPerDay
        if self.start < self.end { return self.begins(on: day) && time >= self.start && time < self.end }
        return self.begins(on: day) && time >= self.start || self.begins(on: day + 6) && time < self.end
    }

    private func begins(on day: Int) -> Bool { self.days & 1 << UInt8(day % 7) != 0 }

    private static func days(_ text: Substring) -> UInt8? {
        var days: UInt8 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
                .map { self.dayNames.firstIndex(of: $0.lowercased()) }
            guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil else { return nil }
            for offset in 0...(last - first + 7) % 7 { days |= 1 << UInt8((first + offset) % 7) }
        }
        return days
    }

    private static func hours(_ text: Substring) -> (start: Int, end: Int)? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(self.time)
        guard ends.count == 2, let start = ends[0], let end = ends[1], start < self.minutesPerDay, start != end else {
            return nil
        }
        return (start, end)
    }

    /// `HH:MM`, as a minute of the day; `24:00` is its end.
    private static func time(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 2, parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), minute < 60, hour < 24 || hour == 24 && minute == 0
        else { return nil }
        return hour * 60 + minute
    }
}
