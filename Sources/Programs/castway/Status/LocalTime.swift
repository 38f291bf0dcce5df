import GatewayOperations
import Glibc

/// Times of day as people read them: `14:02:11 (3m 5s)`, on another day `Nov 21 14:02 (2d 3h)`.
struct LocalTime {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The time that it is, in seconds since 1970.
    let now: Int

    /// Since when something is so, and for how long; `-` when that is not known.
    /// - Parameter seconds: since 1970.
    func since(_ seconds: Int?) -> String {
        guard let seconds else { return "-" }
        return "\(self.text(seconds)) (\(Duration.seconds(max(0, self.now - seconds)).shownInSeconds))"
    }

    /// A time in the zone of this machine.
    func text(_ seconds: Int) -> String {
        guard let (today, then) = Self.parts(self.now).flatMap({ now in Self.parts(seconds).map { (now, $0) } }) else {
            return "\(seconds)"
        }
        let minutes = Self.digits(then.tm_hour) + ":" + Self.digits(then.tm_min)
        if (today.tm_year, today.tm_yday) == (then.tm_year, then.tm_yday) {
            return minutes + ":" + Self.digits(then.tm_sec)
        }
        let month = Self.months.indices.contains(Int(then.tm_mon)) ? Self.months[Int(then.tm_mon)] : "?"
        let year = today.tm_year == then.tm_year ? "" : " \(Int(then.tm_year) + 1900)"
        return "\(month) \(then.tm_mday)\(year) \(minutes)"
    }

    /// A time that an answer has in UTC, in the zone of this machine; `-` without one.
    func text(utc text: String?) -> String {
        text.flatMap { UTCTime(text: $0) }.map { self.text(Int($0.seconds)) } ?? text ?? "-"
    }

    private static func parts(_ seconds: Int) -> tm? {
        var time = time_t(seconds)
        var parts = tm()
        return localtime_r(&time, &parts) == nil ? nil : parts
    }

    private static func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Duration {
    /// As ``shown``, in whole seconds: `0s`, `12m 5s`.
    var shownInSeconds: String { self < .seconds(1) ? "0s" : self.shown }

    /// A place in a medium: `1:03`, `1:02:03`.
    static func clock(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "?" }
        let whole = Int(seconds)
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        let padded = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return hours > 0 ? "\(hours):\(padded(minutes)):\(padded(rest))" : "\(minutes):\(padded(rest))"
    }
}
