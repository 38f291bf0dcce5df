internal import GatewayConfig

/// Hides the values of `name=value` and `name: value` in texts of any notation: forms, headers, settings.
enum LogPairs {
    /// The text without the values of secrets.
    /// - Parameter isSecret: Whether the value of a name is one.
    static func redacted(_ text: String, isSecret: (String) -> Bool) -> String {
        guard text.contains(where: { $0 == "=" || $0 == ":" }) else { return text }
        var result = ""
        var rest = text[...]
        while let sign = rest.firstIndex(where: { $0 == "=" || $0 == ":" }) {
            let name = Self.name(before: rest[..<sign])
            result += rest[...sign]
            rest = rest[rest.index(after: sign)...]
            guard !name.isEmpty, isSecret(name) else { continue }
            result += Secret.redacted
            // A header goes on to the end of its line, an item of a form to the next one.
            let isHeader = result.hasSuffix(":" + Secret.redacted)
            rest = rest.drop { !$0.isNewline && (isHeader || !"&;,".contains($0)) }
        }
        return result + rest
    }

    /// The word that a text ends in, without quotes and blanks behind it.
    private static func name(before text: Substring) -> String {
        let isQuoting: (Character) -> Bool = { $0 == "\"" || $0 == "'" || $0.isWhitespace }
        let end = text.lastIndex { !isQuoting($0) }.map { text.index(after: $0) } ?? text.startIndex
        let word = text[..<end].reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        return String(word.reversed())
    }
}
