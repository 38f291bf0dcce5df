import CastWire

/// The sorted problems of one reading of a configuration, with the lines they are about.
package struct ConfigReport: Sendable {
    /// The problems, sorted by file, line and column.
    package let problems: [ConfigProblem]
    package let droppedCount: Int

    /// True if any problem is an error, so that the configuration must not be used.
    package let hasErrors: Bool

    /// True if nothing at all is wrong.
    package var isEmpty: Bool { self.problems.isEmpty && self.droppedCount == 0 }

    /// Sorts problems and attaches the lines of their files.
    ///
    /// - Parameters:
    ///   - secrets: Where secrets stand as text; these places are masked in the lines.
    ///   - secretKeys: The keys of secrets, for values that are not in the checked tree.
    init(
        _ problems: ConfigProblems,
        sources: [String: ConfigSource],
        secrets: [ConfigLocation],
        secretKeys: [String]
    ) {
        let sorted = problems.all.sorted {
            ($0.location, $0.code.rawValue, $0.message) < ($1.location, $1.code.rawValue, $1.message)
        }
        self.droppedCount = problems.droppedCount
        self.hasErrors = problems.hasErrors
        self.problems = sorted.map { problem in
            var problem = problem
            let location = problem.location
            guard let source = sources[location.file] else { return problem }
            var masked = secrets.filter { $0.file == location.file }
            if problem.code.mayHideValues {
                masked += source.values(ofKeys: secretKeys, inLine: location.line)
            }
            problem.excerpt = source.line(location.line, masking: masked)
            return problem
        }
    }
}

extension ConfigProblem.Code {
    /// True if the line of such a problem may hold a value that is not in the checked tree.
    fileprivate var mayHideValues: Bool {
        switch self {
        case .syntax, .duplicateKey, .setInTwoFiles, .tag, .mergeKey, .undefinedAlias, .keyNotText, .badTemplate: true
        case .invalidEncoding, .tooManyNodes, .tooDeep, .severalDocuments: true
        default: false
        }
    }
}

extension ConfigReport {
    package enum Format: String, Sendable, CaseIterable {
        /// For people: message, line, carets, advice.
        case text
        /// One JSON array.
        case json
        /// Workflow commands that mark the lines of a pull request.
        case github
    }

    /// The number of problems ``text()`` prints before it only counts.
    package static let printedLimit = 50

    /// The report in one of its formats, ending in a line break unless it is empty.
    package func rendered(as format: Format) -> String {
        switch format {
        case .text: self.text()
        case .json: self.json()
        case .github: self.github()
        }
    }

    /// The report for people: at most 50 problems, then "and N more".
    package func text() -> String {
        var text = ""
        let folded = self.folded
        for (problem, items) in folded.prefix(Self.printedLimit) {
            text += problem.rendered()
            if items > 0 { text += "      = and for \(items) more item\(items == 1 ? "" : "s") of 'for_each'\n" }
        }
        let more = max(0, folded.count - Self.printedLimit) + self.droppedCount
        return more > 0 ? text + "and \(more) more\n" : text
    }

    /// The problems, those that `for_each` made of one place told once, with how many further items have them.
    private var folded: [(problem: ConfigProblem, items: Int)] {
        var folded: [(problem: ConfigProblem, items: Int)] = []
        var places: [FoldedPlace: Int] = [:]
        for problem in self.problems {
            guard problem.location.item != nil else {
                folded.append((problem, 0))
                continue
            }
            let place = FoldedPlace(problem)
            if let index = places[place] {
                folded[index].items += 1
            } else {
                places[place] = folded.count
                folded.append((problem, 0))
            }
        }
        return folded
    }

    /// The common part of the problems of several items.
    private struct FoldedPlace: Hashable {
        let code: ConfigProblem.Code
        let severity: ConfigProblem.Severity
        let location: ConfigLocation

        init(_ problem: ConfigProblem) {
            (self.code, self.severity) = (problem.code, problem.severity)
            var location = problem.location
            location.item = nil
            self.location = location
        }
    }

    /// All problems as one JSON array of objects.
    package func json() -> String {
        let array = self.problems.map { problem in
            var members: [(String, JSONValue)] = [
                ("code", .string(problem.code.rawValue)),
                ("severity", .string(problem.severity.rawValue)),
                ("file", .string(problem.location.file)),
            ]
            if problem.location.line > 0 {
                members += [
                    ("line", .number(problem.location.line)),
                    ("column", .number(problem.location.column)),
                    ("endLine", .number(problem.location.endLine)),
                    ("endColumn", .number(problem.location.endColumn)),
                ]
            }
            members.append(("message", .string(problem.message)))
            if let hint = problem.hint { members.append(("hint", .string(hint))) }
            return JSONValue.object(JSONObject(members))
        }
        return JSONValue.array(array).text(indented: true) + "\n"
    }

    /// All problems as `::error file=…,line=…` commands, one a line.
    package func github() -> String {
        var text = ""
        for (problem, items) in self.folded {
            let location = problem.location
            var properties = "file=\(Self.escapedProperty(location.file))"
            if location.line > 0 { properties += ",line=\(location.line),col=\(location.column)" }
            properties += ",title=\(problem.code.rawValue)"
            var message = problem.hint.map { "\(problem.message): \($0)" } ?? problem.message
            if items > 0 { message += " (and for \(items) more)" }
            text += "::\(problem.severity.rawValue) \(properties)::\(Self.escapedData(message))\n"
        }
        return text
    }

    private static func escapedData(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "%": result += "%25"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func escapedProperty(_ text: String) -> String {
        self.escapedData(text).unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case ":": result += "%3A"
            case ",": result += "%2C"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
