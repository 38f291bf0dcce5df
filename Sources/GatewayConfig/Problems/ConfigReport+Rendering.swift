extension ConfigReport {
    /// How a report is printed.
    public enum Format: String, Sendable, CaseIterable {
        /// For people: message, line, carets, advice.
        case text
        /// One JSON array.
        case json
        /// Workflow commands that mark the lines of a pull request.
        case github
    }

    /// How many problems ``text()`` prints before it only counts.
    public static let printedLimit = 50

    /// The report in one of its formats, ending in a line break unless it is empty.
    public func rendered(as format: Format) -> String {
        switch format {
        case .text: self.text()
        case .json: self.json()
        case .github: self.github()
        }
    }

    /// The report for people: at most 50 problems, then "and N more".
    public func text() -> String {
        var text = ""
        for problem in self.problems.prefix(Self.printedLimit) {
            text += problem.rendered()
        }
        let more = max(0, self.problems.count - Self.printedLimit) + self.droppedCount
        return more > 0 ? text + "and \(more) more\n" : text
    }

    /// All problems as one JSON array of objects.
    public func json() -> String {
        let array = self.problems.map { problem in
            var members: [ConfigJSON.Member] = [
                .init("code", .string(problem.code.rawValue)),
                .init("severity", .string(problem.severity.rawValue)),
                .init("file", .string(problem.location.file)),
            ]
            if problem.location.line > 0 {
                members += [
                    .init("line", .integer(problem.location.line)),
                    .init("column", .integer(problem.location.column)),
                    .init("endLine", .integer(problem.location.endLine)),
                    .init("endColumn", .integer(problem.location.endColumn)),
                ]
            }
            members.append(.init("message", .string(problem.message)))
            if let hint = problem.hint { members.append(.init("hint", .string(hint))) }
            return ConfigJSON.object(members)
        }
        return ConfigJSON.array(array).text(indented: true) + "\n"
    }

    /// All problems as `::error file=…,line=…` commands, one a line.
    public func github() -> String {
        var text = ""
        for problem in self.problems {
            let location = problem.location
            var properties = "file=\(Self.escapedProperty(location.file))"
            if location.line > 0 { properties += ",line=\(location.line),col=\(location.column)" }
            properties += ",title=\(problem.code.rawValue)"
            let message = problem.hint.map { "\(problem.message): \($0)" } ?? problem.message
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
