internal import CastWire
internal import Logging

/// The shape of a line. Whatever a record holds, it stays on its line and leaves the terminal alone.
enum LogLineFormat: Sendable, Equatable {
    /// For people: `2026-01-31 09:05:09.007 info    VirtualDevice  Listening  device=hall`.
    case text(isColoured: Bool)
    /// For programs: one object with `time`, `level`, `msg`, `component` and the fields of the record.
    case json

    /// The names that a field cannot take in JSON; such a field gets `meta.` before its name.
    private static let ownNames: Set<String> = ["time", "level", "msg", "component"]

    /// The line with its line break.
    func line(_ record: LogRecord) -> String {
        switch self {
        case .text(let isColoured): Self.text(record, isColoured: isColoured)
        case .json: Self.json(record)
        }
    }

    private static func json(_ record: LogRecord) -> String {
        var object: JSONObject = [
            "time": .string(record.instant.utcText), "level": .string(record.level.rawValue),
            "msg": .string(record.message), "component": .string(record.component),
        ]
        for field in record.fields {
            object[Self.ownNames.contains(field.name) ? "meta.\(field.name)" : field.name] = field.value
        }
        // The writer escapes what would end a line; this escapes the rest of what moves a cursor, as JSON does.
        return JSONValue.object(object).text.escapingControls { "\\u" + $0.hexText(width: 4) } + "\n"
    }

    private static func text(_ record: LogRecord, isColoured: Bool) -> String {
        var level = record.level.rawValue
        let padding = String(repeating: " ", count: max(0, 7 - level.count))
        if isColoured { level = "\u{1B}[\(Self.colour(record.level))m\(level)\u{1B}[0m" }
        var line = "\(record.instant.localText) \(level)\(padding) \(record.component.logSafe)"
        line += "  \(record.message.logSafe)"
        var separator = "  "
        for field in record.fields {
            line += "\(separator)\(field.name.logSafe)=\(Self.shown(field.value))"
            separator = " "
        }
        return line + "\n"
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
