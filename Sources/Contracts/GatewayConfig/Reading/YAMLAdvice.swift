/// Plain words for what the YAML parser says of slips that are often made, and what to write instead.
struct YAMLAdvice {
    /// The fault; nil where the parser says it plainly.
    private(set) var message: String?
    /// The remedy.
    let hint: String

    init?(_ error: YAMLSyntaxError, at mark: YAMLEvent.Mark, in source: ConfigSource) {
        switch error.problem {
        case "mapping values are not allowed in this context":
            self.message = "a ':' cannot stand here"
            self.hint = Self.colonHint(mark, source)
        case "could not find expected ':'":
            self.hint = "write 'key: value', with a space behind the colon"
        case "found character that cannot start any token":
            self.message = "a value cannot begin with this character"
            self.hint = "put quotes around the value"
        case "block sequence entries are not allowed in this context":
            self.message = "a list cannot begin here"
            self.hint = "begin it on the next line, or write [a, b]"
        case "did not find expected alphabetic or numeric character":
            self.message = "a value cannot begin with * or & alone"
            self.hint = #"put quotes around the value: "*""#
        case "found unknown escape character":
            self.hint = "in double quotes a backslash begins an escape; use single quotes"
        default: return nil
        }
    }

    /// Advice for a colon in the wrong place.
    private static func colonHint(_ mark: YAMLEvent.Mark, _ source: ConfigSource) -> String {
        let line = source.scalars(ofLine: mark.line)
        let before = Self.text(line.prefix(max(0, mark.column - 1)))
        if before.contains(": ") { return "put quotes around a value with ': ' in it" }
        let above = Self.text(source.scalars(ofLine: mark.line - 1)[...]).drop { $0 == " " || $0 == "-" }
        let key = above.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        let rest = above[key.endIndex...].dropFirst()
        if !key.isEmpty, above[key.endIndex...].hasPrefix(":"), let first = rest.first, first != " " {
            return "line \(mark.line - 1) needs a space behind the colon: '\(String(key).shown): …'"
        }
        return "begin the keys of one mapping in the same column; a key with a value on its line has none below it"
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
