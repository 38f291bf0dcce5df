/// The text of one file, cut into lines for messages.
package struct ConfigSource: Sendable {
    /// The file's name as it is shown.
    package let file: String
    /// The number of bytes a line may have to be quoted and searched.
    private static let lineLimit = 8192
    /// The bytes that some editors write before UTF-8 text.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private let bytes: [UInt8]
    /// The range of each line in the bytes, without its line break.
    private let lines: [Range<Int>]

    /// Cuts a text where YAML 1.1 breaks lines, which is what the parser counts by.
    init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
        var lines: [Range<Int>] = []
        var start = 0
        var index = 0
        while index < bytes.count {
            let length = Self.lineBreakLength(in: bytes, at: index)
            if length > 0 {
                lines.append(start..<index)
                start = index + length
            }
            index += max(length, 1)
        }
        lines.append(start..<bytes.count)
        self.lines = lines
    }

    /// The number of bytes the line break at a place has; 0 when there is none.
    private static func lineBreakLength(in bytes: [UInt8], at index: Int) -> Int {
        switch bytes[index] {
        case 0x0A: 1
        case 0x0D: bytes[(index + 1)...].first == 0x0A ? 2 : 1
        case 0xC2: bytes[(index + 1)...].first == 0x85 ? 2 : 0
        case 0xE2: [[0x80, 0xA8], [0x80, 0xA9]].contains(Array(bytes[(index + 1)...].prefix(2))) ? 3 : 0
        default: 0
        }
    }

    /// The number of lines the text has; the part after the last line break counts when it is not empty.
    var lineCount: Int {
        self.lines.last?.isEmpty == true ? self.lines.count - 1 : self.lines.count
    }

    /// The code points of a line, counted from 1; empty beyond the end, and for a line that was not written by hand.
    ///
    /// Places in a line are looked for once per problem, so the limit keeps a file with one huge line cheap.
    func scalars(ofLine number: Int) -> [Unicode.Scalar] {
        guard self.lines.indices.contains(number - 1) else { return [] }
        let line = self.lines[number - 1]
        return line.count <= Self.lineLimit
            ? Array(String(decoding: self.bytes[line], as: UTF8.self).unicodeScalars) : []
    }

    /// A line for a message, with control characters replaced and secrets masked; nil beyond the end and for huge lines.
    func line(_ number: Int, masking secrets: [ConfigLocation]) -> String? {
        guard self.lines.indices.contains(number - 1) else { return nil }
        var line = self.scalars(ofLine: number)
        if line.isEmpty, !self.lines[number - 1].isEmpty { return nil }
        for secret in secrets
        where secret.file == self.file && secret.line <= number && number <= secret.endLine {
            let first = number == secret.line ? secret.column - 1 : 0
            let end = number == secret.endLine ? secret.endColumn - 1 : line.count
            for index in line.indices where index >= first && index < end && line[index] != " " {
                line[index] = "*"
            }
        }
        self.maskUsers(&line)
        return String(String.UnicodeScalarView(line.map { $0.isSafeToShow ? $0 : "\u{FFFD}" }))
    }
}

extension ConfigSource {
    /// Masks users and passwords of URLs, `mqtt://user:password@host`, so that every character keeps its column.
    private func maskUsers(_ line: inout [Unicode.Scalar]) {
        for start in line.indices.dropFirst(2)
        where line[start - 2] == ":" && line[start - 1] == "/" && line[start] == "/" {
            let end = line[(start + 1)...].firstIndex { "/?#\"' ".unicodeScalars.contains($0) } ?? line.endIndex
            guard let at = line[(start + 1)..<end].lastIndex(of: "@") else { continue }
            for index in (start + 1)..<at { line[index] = "*" }
        }
    }

    /// The text after any of these keys in a line, up to its end; for text that could not be read as YAML.
    func values(ofKeys keys: [String], inLine number: Int) -> [ConfigLocation] {
        let line = self.scalars(ofLine: number)
        let rest = { (column: Int) in
            ConfigLocation(file: self.file, line: number, column: column, endColumn: line.count + 1)
        }
        let named = keys.compactMap { key in
            let whole = ConfigLocation(file: self.file, line: number, column: 1)
            return self.find(key, from: whole).map { rest($0.endColumn + 1) }
        }
        let word = self.firstColonAfterSecretName(inLine: number).map { [rest($0 + 2)] } ?? []
        guard self.isBelow(keys, line: number) else { return named + word }
        return named + word + [rest((line.firstIndex(of: ":") ?? -1) + 2)]
    }

    /// The place of the colon, counted from 0, after the first name in a line that ends in a word for a secret.
    private func firstColonAfterSecretName(inLine number: Int) -> Int? {
        let line = self.scalars(ofLine: number)
        for index in line.indices where line[index] == ":" {
            let name = line[..<index].reversed().drop { $0 == " " || $0 == "\"" || $0 == "'" }.prefix {
                $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_" || $0 == "-"
            }
            if Secret.isNamed(String(String.UnicodeScalarView(name.reversed()))) { return index }
        }
        return nil
    }

    /// True if a line in block form stands under any of these keys.
    private func isBelow(_ keys: [String], line number: Int) -> Bool {
        guard self.lines.indices.contains(number - 1) else { return false }
        var indentation = self.indentation(ofLine: number) ?? Int.max
        for above in stride(from: number - 1, to: max(0, number - 200), by: -1) where indentation > 0 {
            guard let own = self.indentation(ofLine: above), own < indentation else { continue }
            indentation = own
            let text = String(String.UnicodeScalarView(self.scalars(ofLine: above)))
            let key = text.drop { $0 == " " || $0 == "-" || $0 == "\"" || $0 == "'" }.prefix {
                $0 != ":" && $0 != "\"" && $0 != "'"
            }
            if keys.contains(String(key)) { return true }
        }
        return false
    }

    /// The number of blanks a line begins with; nil for an empty one.
    private func indentation(ofLine number: Int) -> Int? {
        self.scalars(ofLine: number).firstIndex { $0 != " " }
    }

    /// The first place of a text at or after the start of a range and within its lines.
    func find(_ text: String, from range: ConfigLocation) -> ConfigLocation? {
        let wanted = Array(text.unicodeScalars)
        guard !wanted.isEmpty, range.line <= range.endLine else { return nil }
        for number in range.line...range.endLine {
            let line = self.scalars(ofLine: number)
            var first = number == range.line ? range.column - 1 : 0
            while first >= 0, first + wanted.count <= line.count {
                if line[first..<(first + wanted.count)].elementsEqual(wanted) {
                    let end = first + wanted.count + 1
                    return ConfigLocation(file: self.file, line: number, column: first + 1, endColumn: end)
                }
                first += 1
            }
        }
        return nil
    }
}
