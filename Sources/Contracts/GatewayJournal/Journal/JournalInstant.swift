import Glibc
package import NIOCore

/// What time it is, for events and for limits: tests pass their own.
package struct JournalClock: Sendable {
    /// Milliseconds since 1970.
    package var wall: @Sendable () -> Int64
    /// A clock that never goes back.
    package var now: @Sendable () -> NIODeadline

    package init(wall: @escaping @Sendable () -> Int64, now: @escaping @Sendable () -> NIODeadline) {
        self.wall = wall
        self.now = now
    }

    /// The clocks of the machine.
    package static let system = JournalClock(
        wall: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        }, now: { .now() })
}

/// A moment as events tell it: UTC with milliseconds in the form of RFC 3339. Keeps the text of the last second.
struct JournalTimestamp: Sendable {
    private var second = Int64.min
    private var prefix = ""

    /// `2026-11-22T08:00:00.123Z`.
    mutating func text(_ milliseconds: Int64) -> String {
        let (whole, rest) = (milliseconds.flooredDivided(by: 1000), milliseconds.flooredRemainder(by: 1000))
        if whole != self.second {
            self.second = whole
            var time = time_t(whole)
            var parts = tm()
            gmtime_r(&time, &parts)
            let date = [Int(parts.tm_mon) + 1, Int(parts.tm_mday)].map { Self.digits($0, 2) }
            let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.digits(Int($0), 2) }
            self.prefix =
                "\(Self.digits(Int(parts.tm_year) + 1900, 4))-\(date.joined(separator: "-"))T\(clock.joined(separator: ":"))."
        }
        return self.prefix + Self.digits(Int(rest), 3) + "Z"
    }

    private static func digits(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}

extension Int64 {
    fileprivate func flooredDivided(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
    }

    fileprivate func flooredRemainder(by divisor: Int64) -> Int64 { self - self.flooredDivided(by: divisor) * divisor }
}

/// Moments as events tell them.
package enum JournalInstant {
    /// `2026-11-22T08:00:00.123Z`, for milliseconds since 1970.
    package static func text(_ milliseconds: Int64) -> String {
        var timestamp = JournalTimestamp()
        return timestamp.text(milliseconds)
    }
}
