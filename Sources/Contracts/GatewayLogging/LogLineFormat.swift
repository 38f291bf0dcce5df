import CastWire
import Glibc
import Logging

/// The shape of a line. Whatever a record holds, it stays on its line and leaves the terminal alone.
enum LogLineFormat: Sendable, Equatable {
    /// For people: `2026-01-31 09:05:09.007 info    VirtualDevice  Listening  device=hall`.
    case text(isColoured: Bool)
    /// For programs: one object with `time`, `level`, `msg`, `component` and the fields of the record.
    case json

    /// The names that a field cannot take in JSON; such a field gets `meta.` before its name.
    private static let ownNames: Set<String> = ["time", "level", "msg", "component"]

    /// The line with its line break.
    /// - Parameter origin: what it says of where it was made.
    func line(_ record: LogRecord, origin: LogConfiguration.Origin = .none) -> String {
        switch self {
        case .text(let isColoured): Self.text(record, isColoured: isColoured, origin)
        case .json: Self.json(record, origin)
        }
    }

    private static func json(_ record: LogRecord, _ origin: LogConfiguration.Origin) -> String {
        var object: JSONObject = [
            "time": .string(record.instant.utcText), "level": .string(record.level.rawValue),
            "msg": .string(record.message), "component": .string(record.component),
        ]
        var ownNames = Self.ownNames
        if origin != .none, let place = record.origin {
            object["function"] = .string(place.function)
            ownNames.insert("function")
            if origin != .function {
                object["location"] = .string(place.location)
                ownNames.insert("location")
            }
        }
        for field in record.fields {
            object[ownNames.contains(field.name) ? "meta.\(field.name)" : field.name] = field.value
        }
        // The writer escapes what would end a line; this escapes the rest of what moves a cursor, as JSON does.
        return JSONValue.object(object).text.escapingControls { "\\u" + $0.hexText(width: 4) } + "\n"
    }

    private static func text(
        _ record: LogRecord, isColoured: Bool, _ origin: LogConfiguration.Origin
    ) -> String {
        var level = record.level.rawValue
        let padding = String(repeating: " ", count: max(0, 7 - level.count))
        if isColoured { level = "\u{1B}[\(Self.colour(record.level))m\(level)\u{1B}[0m" }
        var line = "\(record.instant.localText) \(level)\(padding) \(record.component.logSafe)"
        line += "  \(Self.message(record, origin).logSafe)"
        var separator = "  "
        for field in record.fields {
            line += "\(separator)\(field.name.logSafe)=\(Self.shown(field.value))"
            separator = " "
        }
        return line + "\n"
    }

    private static func message(_ record: LogRecord, _ origin: LogConfiguration.Origin) -> String {
        guard let place = record.origin else { return record.message }
        return switch origin {
        case .none: record.message
        case .function: "\(place.function) - \(record.message)"
        case .location: "\(place.location): \(place.function) - \(record.message)"
        case .trailing: "\(place.function) - \(record.message), \(place.location)"
        }
    }

    private static func shown(_ value: JSONValue) -> String {
        guard let text = value.stringValue else { return value.text.logSafe }
        let needsQuotes = text.isEmpty || text.unicodeScalars.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        return needsQuotes ? value.text.logSafe : text.logSafe
    }

    private static func colour(_ level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "2"
        case .info: "32"
        case .notice: "36"
        case .warning: "33"
        case .error: "31"
        case .critical: "1;31"
        }
    }
}

/// What one line says, before it has a shape. Secrets are gone already.
package struct LogRecord: Sendable {
    let instant: LogInstant
    let level: Logger.Level
    let component: String
    let message: String
    /// Names and values in the order of their names.
    let fields: [(name: String, value: JSONValue)]
    /// Where it was made; nil when no sink wants that.
    var origin: LogOrigin?

    /// The record in the place of some that were lost.
    static func loss(of lines: Int) -> LogRecord {
        LogRecord(
            instant: .now, level: .warning, component: "Log",
            message: "Lines of the log were lost, since they were not read or could not be written",
            fields: [("lines", .number(lines))])
    }
}

/// A moment as a log line shows it.
package struct LogInstant: Sendable, Equatable {
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

extension String {
    /// The text without anything that ends a line or that a terminal acts on: such characters appear as `\u{1b}`.
    package var logSafe: String {
        self.escapingControls { "\\u{\($0.hexText(width: 1))}" }
    }

    /// Replaces control characters and those that change the direction of writing.
    func escapingControls(as escape: (Unicode.Scalar) -> String) -> String {
        // Most texts are plain, and looking is cheaper than copying.
        guard self.unicodeScalars.contains(where: \.actsOnTerminals) else { return self }
        var text = ""
        for scalar in self.unicodeScalars {
            if scalar.actsOnTerminals {
                text += escape(scalar)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// The number in hexadecimal digits.
    package func hexText(width: Int) -> String {
        let digits = String(self.value, radix: 16)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Controls, line separators, and marks that change the direction of writing.
    fileprivate var actsOnTerminals: Bool {
        switch self.value {
        case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
