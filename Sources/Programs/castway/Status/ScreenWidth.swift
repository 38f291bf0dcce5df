import Glibc

/// How wide lines on standard output may be: as the terminal is, or as `COLUMNS` says; as they come where a program reads them.
struct ScreenWidth {
    let columns: Int?

    init(columns: Int?) { self.columns = columns }

    static var output: ScreenWidth {
        if let said = ProcessEnvironment.variables["COLUMNS"].flatMap({ Int($0) }), said >= 40 {
            return ScreenWidth(columns: said)
        }
        var size = winsize()
        guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 40 else {
            return ScreenWidth(columns: nil)
        }
        return ScreenWidth(columns: Int(size.ws_col))
    }

    /// Columns that say as much when they are cut: the first to give way.
    private static let soft: Set<String> = [
        "NAME", "RUNS", "WHAT", "BEHIND IT", "MODEL", "PROOF", "APP", "USES", "ON", "DEVICE",
    ]
    /// No column gets narrower than this, or than its heading.
    private static let narrowest = 8

    /// A table of cells made printable, whose widest are cut until its lines fit: times and addresses last.
    func fitted(_ rows: [[String]]) -> TextTable {
        let rows = rows.map { $0.map(\.printable) }
        guard let columns, let heading = rows.first else { return TextTable(rows: rows) }
        var widths = heading.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let room = columns - 2 - 2 * (heading.count - 1)
        for columns in [heading.indices.filter { Self.soft.contains(heading[$0]) }, Array(heading.indices)] {
            while widths.reduce(0, +) > room {
                let wide = columns.filter { widths[$0] > max(heading[$0].count, Self.narrowest) }
                guard let widest = wide.max(by: { widths[$0] < widths[$1] }) else { break }
                widths[widest] -= 1
            }
        }
        return TextTable(rows: rows.map { row in zip(row, widths).map { Self.cut($0, to: $1) } })
    }

    private static func cut(_ text: String, to width: Int) -> String {
        text.count <= width ? text : String(text.prefix(max(0, width - 1))) + "…"
    }

    /// A text in lines that fit, broken between words.
    /// - Parameter indent: what stands before every line; the first one has its own.
    func wrapped(_ text: String, first: String, indent: String) -> [String] {
        guard let columns else { return [first + text] }
        var lines: [String] = []
        var line = first
        var isEmpty = true
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            if !isEmpty, line.count + 1 + word.count > columns {
                lines.append(line)
                (line, isEmpty) = (indent, true)
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }
}
