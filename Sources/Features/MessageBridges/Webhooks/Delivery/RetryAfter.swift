import Glibc

/// The header `Retry-After` of RFC 9110, section 10.2.3: seconds, or a date.
enum RetryAfter {
    /// The longest time that a back end can ask for.
    static let longest = Duration.seconds(86400)

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Reads the pause that the back end wants, at most a day; nil for a text that says nothing of it.
    /// - Parameter now: seconds since 1970.
    static func duration(_ text: String, now: Int64) -> Duration? {
        let text = text.trimmed
        guard !text.isEmpty, text.utf8.count <= 64 else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return min(Int64(text).map { .seconds($0) } ?? Self.longest, Self.longest)
        }
        guard let moment = Self.moment(text) else { return nil }
        guard moment > now else { return .zero }
        return moment - now < 86400 ? .seconds(moment - now) : Self.longest
    }

    /// The seconds since 1970 of a date in one of the three forms of RFC 9110, section 5.6.7; nil for anything else.
    private static func moment(_ text: String) -> Int64? {
        var words = text.split { " ,-".contains($0) }.map(String.init)
        // Sun Nov  6 08:49:37 1994
        if words.count == 5 { words = [words[0], words[2], words[1], words[4], words[3], "GMT"] }
        // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
        guard words.count == 6, words[5] == "GMT", let month = Self.months.firstIndex(of: words[2]) else { return nil }
        let time = words[4].split(separator: ":", omittingEmptySubsequences: false).map { Self.number(String($0)) }
        guard let day = Self.number(words[1]), var year = Self.number(words[3], digits: 4), time.count == 3,
            let hour = time[0], let minute = time[1], let second = time[2]
        else { return nil }
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        guard (1...31).contains(day), (1970...9999).contains(year), hour < 24, minute < 60, second <= 60 else {
            return nil
        }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        return Int64(timegm(&parts))
    }

    private static func number(_ text: String, digits: Int = 2) -> Int32? {
        let isNumber = (1...digits).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? Int32(text) : nil
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = self.drop { $0 == " " || $0 == "\t" }
        let count = start.reversed().prefix { $0 == " " || $0 == "\t" }.count
        return String(start.dropLast(count))
    }
}
