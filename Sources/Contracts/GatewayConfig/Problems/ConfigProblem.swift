/// One thing that is wrong with a configuration, with its place and, where there is one, advice.
package struct ConfigProblem: Sendable, Hashable {
    /// The severity of a problem: the configuration can be used all the same, or not.
    package enum Severity: String, Sendable, Hashable {
        case error
        case warning
    }

    package var code: Code
    package var severity: Severity
    package var location: ConfigLocation
    /// The fault, without a full stop.
    package var message: String
    /// The remedy.
    package var hint: String?
    /// The line of the file at ``location``, with secrets masked; nil when there is none.
    package var excerpt: String?

    /// Makes a problem; a report fills in the excerpt.
    package init(
        code: Code,
        severity: Severity = .error,
        location: ConfigLocation,
        message: String,
        hint: String? = nil,
        excerpt: String? = nil
    ) {
        self.code = code
        self.severity = severity
        self.location = location
        self.message = message
        self.hint = hint
        self.excerpt = excerpt
    }
}

extension ConfigProblem {
    /// The number of characters of a long line that are shown around the place.
    private static let shownWidth = 120

    /// The problem for people: message, line, carets and advice; ends in a line break.
    package func rendered() -> String {
        let head = "\(self.location): \(self.severity.rawValue)[\(self.code.rawValue)]: \(self.message)\n"
        guard let excerpt = self.excerpt else {
            return self.hint.map { head + "      = \($0)\n" } ?? head
        }
        let line = Array(excerpt.unicodeScalars)
        let start = min(max(self.location.column - 1, 0), line.count)
        let lastShown = line.lastIndex { $0 != " " } ?? -1
        let isOneLine = self.location.endLine == self.location.line
        let end = isOneLine ? min(self.location.endColumn - 1, line.count) : lastShown + 1
        let (window, offset) = Self.window(of: line, around: start)
        let shownStart = start - offset
        let shownEnd = min(max(end - offset, shownStart + 1), max(window.count, shownStart + 1))
        // A tab keeps its width only under a tab.
        let padding = window.prefix(shownStart).map { $0 == "\t" ? "\t" : " " }.joined()
        let number = String(self.location.line)
        let margin = String(repeating: " ", count: max(0, 5 - number.count))
        var marks = padding + String(repeating: "^", count: shownEnd - shownStart)
        if let hint = self.hint { marks += " \(hint)" }
        return head + "\(margin)\(number) | \(Self.text(window))\n"
            + String(repeating: " ", count: max(5, number.count)) + " | \(marks)\n"
    }

    private static func text(_ scalars: [Unicode.Scalar]) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }

    /// The part of a line to show, and how many characters were cut off before it.
    private static func window(of line: [Unicode.Scalar], around start: Int) -> ([Unicode.Scalar], Int) {
        guard line.count > self.shownWidth else { return (line, 0) }
        let first = min(max(0, start - self.shownWidth / 3), line.count - self.shownWidth)
        var shown = Array(line[first..<(first + self.shownWidth)])
        if first > 0 { shown[0] = "…" }
        if first + self.shownWidth < line.count { shown[shown.count - 1] = "…" }
        return (shown, first)
    }
}
