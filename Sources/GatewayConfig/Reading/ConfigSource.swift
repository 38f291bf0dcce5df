/// The text of one file, cut into lines for messages.
public struct ConfigSource: Sendable {
    /// The file's name as it is shown.
    public let file: String
    /// How many bytes a line may have to be quoted and searched.
    private static let lineLimit = 8192
    private let bytes: [UInt8]
    /// Where each line stands in the bytes, without its line break.
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

    /// How many bytes the line break at a place has; 0 when there is none.
    private static func lineBreakLength(in bytes: [UInt8], at index: Int) -> Int {
        switch bytes[index] {
        case 0x0A: 1
        case 0x0D: bytes[(index + 1)...].first == 0x0A ? 2 : 1
        case 0xC2: bytes[(index + 1)...].first == 0x85 ? 2 : 0
        case 0xE2: [[0x80, 0xA8], [0x80, 0xA9]].contains(Array(bytes[(index + 1)...].prefix(2))) ? 3 : 0
        default: 0
        }
    }

    /// How many lines the text has; the part after the last line break counts when it is not empty.
    var lineCount: Int {
        self.lines.last?.isEmpty == true ? self.lines.count - 1 : self.lines.count
    }

    /// The code points of a line, counted from 1; empty beyond the end, and for a line that nobody wrote by hand.
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
        return String(String.UnicodeScalarView(line.map { $0.isSafeToShow ? $0 : "\u{FFFD}" }))
    }
}

extension ConfigSource {
    /// What follows any of these keys in a line, up to its end; for text that could not be read as YAML.
    func values(ofKeys keys: [String], inLine number: Int) -> [ConfigLocation] {
        let line = self.scalars(ofLine: number)
        return keys.compactMap { key in
            let whole = ConfigLocation(file: self.file, line: number, column: 1)
            guard let place = self.find(key, from: whole) else { return nil }
            let first = place.endColumn
            return ConfigLocation(file: self.file, line: number, column: first + 1, endColumn: line.count + 1)
        }
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
