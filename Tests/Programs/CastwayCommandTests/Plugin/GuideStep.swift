/// What a guide has its reader do.
enum GuideStep {
    /// A file to write.
    case file(path: String, text: String)
    /// A command, and the lines that it should print.
    case command(String, output: [String])

    struct Malformed: Error {
        let line: Int
    }

    /// Reads the steps of a page: code blocks behind `<!-- file: PATH -->`, and blocks of the kind `console`.
    static func read(_ markdown: String) throws -> [GuideStep] {
        var steps: [GuideStep] = []
        var file: String?
        var block: (language: String, lines: [String])?
        for (index, line) in markdown.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            .enumerated()
        {
            if let match = line.wholeMatch(of: /<!-- file: (.+) -->/) {
                file = String(match.1)
            } else if line.hasPrefix("```"), let open = block {
                guard line == "```" else { throw Malformed(line: index + 1) }
                steps += Self.steps(open.language, open.lines, file: file)
                (block, file) = (nil, nil)
            } else if line.hasPrefix("```") {
                block = (String(line.dropFirst(3)), [])
            } else if block != nil {
                block?.lines.append(line)
            }
        }
        guard block == nil, file == nil else { throw Malformed(line: 0) }
        return steps
    }

    private static func steps(_ language: String, _ lines: [String], file: String?) -> [GuideStep] {
        if let file { return [.file(path: file, text: lines.map { $0 + "\n" }.joined())] }
        guard language == "console" else { return [] }
        var steps: [GuideStep] = []
        for line in lines {
            if line.hasPrefix("$ ") {
                steps.append(.command(String(line.dropFirst(2)), output: []))
            } else if case .command(let command, let output)? = steps.last {
                steps[steps.count - 1] = .command(command, output: output + [line])
            }
        }
        return steps
    }
}
