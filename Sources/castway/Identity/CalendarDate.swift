import Glibc

/// Days for people.
enum CalendarDate {
    /// The day in UTC, `2026-01-31`.
    static func text(_ secondsSince1970: Int64) -> String {
        guard var seconds = time_t(exactly: secondsSince1970) else { return "?" }
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "?" }
        let month = String(100 + parts.tm_mon + 1).dropFirst()
        let day = String(100 + parts.tm_mday).dropFirst()
        return "\(1900 + parts.tm_year)-\(month)-\(day)"
    }
}
