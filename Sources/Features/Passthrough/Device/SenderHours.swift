import DeviceListening
import GatewayConfig

/// The hours of `senders.during`: whether senders may be connected now, and when that has to be looked at again.
struct SenderHours {
    /// Clocks are set, and set back in autumn: it is looked at again after this time, in seconds.
    private static let longestPause: Int64 = 3600

    private let rules: SenderRules
    private let clock: ZoneClock

    /// - Parameter timeZone: such as `Europe/Berlin`; nil for the machine's.
    init(_ rules: SenderRules, timeZone: String?) {
        self.rules = rules
        self.clock = ZoneClock(timeZone)
    }

    /// Returns true if senders may be connected.
    /// - Parameter seconds: since 1970.
    func allows(at seconds: Int64) -> Bool {
        self.rules.during.isEmpty || self.rules.allows(minute: self.minute(at: seconds))
    }

    /// After how many seconds it may be otherwise; nil when never.
    func pause(at seconds: Int64) -> Int64? {
        guard !self.rules.during.isEmpty else { return nil }
        let minute = self.minute(at: seconds)
        let now = self.rules.allows(minute: minute)
        let untilNextMinute = 60 - ((seconds % 60) + 60) % 60
        var pause = untilNextMinute
        var next = minute
        while pause < Self.longestPause {
            next = (next + 1) % WeekTimes.minutesPerWeek
            if self.rules.allows(minute: next) != now { return pause }
            pause += 60
        }
        return min(pause, Self.longestPause)
    }

    private func minute(at seconds: Int64) -> Int {
        self.clock.minuteOfWeek(secondsSince1970: Int(clamping: seconds))
    }
}
