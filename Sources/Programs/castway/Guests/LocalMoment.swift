import ArgumentParser
import GatewayOperations
import Glibc

/// A day, or a day and a time, of this machine's time zone on the command line: `2027-01-04`, `2027-01-04 14:00`; or a moment in UTC:
/// `2027-01-04T13:00:00Z`.
struct LocalMoment: Sendable, ExpressibleByArgument {
    let time: UTCTime

    /// Nil for what is none.
    init?(argument: String) {
        if argument.hasSuffix("Z") {
            guard let time = UTCTime(text: argument) else { return nil }
            self.time = time
            return
        }
        let clock = argument.replacing("T", with: " ").split(separator: " ", omittingEmptySubsequences: false)
        // What reads moments in UTC knows which days there are.
        guard let day = clock.first, (1...2).contains(clock.count),
            let shown = UTCTime(text: "\(day)T\(clock.count == 2 ? clock[1] : "00:00"):00Z")
        else { return nil }
        var moment = time_t(shown.seconds)
        var parts = tm()
        guard gmtime_r(&moment, &parts) != nil else { return nil }
        parts.tm_isdst = -1
        self.time = UTCTime(seconds: Int64(mktime(&parts)))
        guard self.time.seconds > 0 else { return nil }
    }
}
