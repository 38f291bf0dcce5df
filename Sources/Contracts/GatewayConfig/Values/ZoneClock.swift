import Foundation
import Synchronization

/// The minute of the week in one time zone. The zone is asked once for each minute. May be used on any thread.
package final class ZoneClock: Sendable {
    private static let minuteBits = 14
    private static let daysFromMonday = 3

    private let zone: TimeZone
    /// The minute since 1970 that was asked for last, and behind it its minute of the week.
    private let latest = Atomic<Int>(-1)

    /// Makes the clock of a zone such as `Europe/Berlin`; of the machine's zone when nil, or not known.
    package init(_ name: String?) {
        self.zone = name.flatMap { TimeZone(identifier: $0) } ?? .current
    }

    /// True if there is a zone of this name.
    package static func isKnown(_ name: String) -> Bool { TimeZone(identifier: name) != nil }

    package static var knownNames: [String] { TimeZone.knownTimeZoneIdentifiers }

    /// The name of the zone: `Europe/Berlin`.
    package var name: String { self.zone.identifier }

    /// By how many seconds the zone's clocks are ahead of UTC.
    package func offset(secondsSince1970 seconds: Int) -> Int {
        self.zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
    }

    /// The minute of the week that the zone's clocks show: 0 is Monday, 00:00.
    package func minuteOfWeek(secondsSince1970 seconds: Int) -> Int {
        let minute = seconds / 60
        let latest = self.latest.load(ordering: .relaxed)
        if latest >> Self.minuteBits == minute { return latest & (1 << Self.minuteBits - 1) }
        let local = (seconds + self.offset(secondsSince1970: seconds)) / 60 + Self.daysFromMonday * 1440
        let week = WeekTimes.minutesPerWeek
        let result = (local % week + week) % week
        self.latest.store(minute << Self.minuteBits | result, ordering: .relaxed)
        return result
    }
}
