/// What a guide says that a command prints: `…` stands for anything within a line, and alone for any number of lines.
struct GuideOutput {
    let lines: [String]

    /// Whether a program printed just that.
    func matches(_ text: String) -> Bool {
        var said = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if said.last == "" { said.removeLast() }
        return Self.match(self.lines[...], said[...])
    }

    private static func match(_ expected: ArraySlice<String>, _ said: ArraySlice<String>) -> Bool {
        guard let first = expected.first else { return said.isEmpty }
        let rest = expected.dropFirst()
        if first == "…" { return (said.startIndex...said.endIndex).contains { Self.match(rest, said[$0...]) } }
        guard let line = said.first, Self.fits(line, first) else { return false }
        return Self.match(rest, said.dropFirst())
    }

    private static func fits(_ line: String, _ pattern: String) -> Bool {
        var rest = line[...]
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return line == pattern }
        for (index, part) in parts.enumerated() where !part.isEmpty {
            if index == 0 {
                guard rest.hasPrefix(part) else { return false }
                rest = rest.dropFirst(part.count)
            } else if index == parts.count - 1 {
                return rest.hasSuffix(part)
            } else {
                guard let place = rest.firstRange(of: part) else { return false }
                rest = rest[place.upperBound...]
            }
        }
        return true
    }
}
