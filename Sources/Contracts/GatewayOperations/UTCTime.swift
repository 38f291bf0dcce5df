package import GatewayConfig
import Glibc

/// A moment to the second, written as `2027-01-01T12:30:00Z`; a day alone, `2027-01-01`, is its beginning in UTC.
package struct UTCTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Seconds since 1970.
    package let seconds: Int64

    /// A moment.
    /// - Parameter seconds: since 1970, up to the year 9999.
    package init(seconds: Int64) {
        self.seconds = seconds
    }

    /// Reads a moment of the years 1970 to 9999; nil for anything else, a day that no calendar has too.
    package init?(text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10 || bytes.count == 20 else { return nil }
        let form = Array("0000-00-00T00:00:00Z".utf8.prefix(bytes.count))
        let isOfForm = zip(bytes, form).allSatisfy { byte, sign in
            sign == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == sign
        }
        guard isOfForm else { return nil }
        func number(_ range: Range<Int>) -> Int32 {
            range.upperBound > bytes.count ? 0 : bytes[range].reduce(0) { $0 * 10 + Int32($1) - 0x30 }
        }
        var parts = tm()
        parts.tm_year = number(0..<4) - 1900
        parts.tm_mon = number(5..<7) - 1
        parts.tm_mday = number(8..<10)
        parts.tm_hour = number(11..<13)
        parts.tm_min = number(14..<16)
        parts.tm_sec = number(17..<19)
        self.init(seconds: Int64(timegm(&parts)))
        // What is no moment comes out as another one.
        guard self.seconds >= 0, self.description.hasPrefix(text) else { return nil }
    }

    /// `2027-01-01T12:30:00Z`
    package var description: String {
        var time = time_t(self.seconds)
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil else { return "second \(self.seconds) since 1970" }
        func text(_ number: Int32, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let day = "\(text(parts.tm_year + 1900, 4))-\(text(parts.tm_mon + 1))-\(text(parts.tm_mday))"
        return "\(day)T\(text(parts.tm_hour)):\(text(parts.tm_min)):\(text(parts.tm_sec))Z"
    }

    /// Whether a moment is before another.
    package static func < (left: UTCTime, right: UTCTime) -> Bool { left.seconds < right.seconds }
}

extension ConfigType where Value == UTCTime {
    /// A day, or a moment in UTC.
    package static var time: ConfigType {
        ConfigType<String>.text(maximumBytes: 20).converted({ UTCTime(text: $0) }, \.description)
    }
}
