/// Replaces references to environment variables in the values of one file.
///
/// It runs on the finished tree, so a variable can never add structure, only text (`gateway.yaml` reference, "Environment").
struct EnvironmentExpander {
    /// The number of bytes all references of a file may expand to.
    private static let byteLimit = 4 << 20

    private let environment: [String: String]
    private let source: ConfigSource
    private var problems: ConfigProblems
    private var bytesLeft = Self.byteLimit

    private init(environment: [String: String], source: ConfigSource, problems: ConfigProblems) {
        self.environment = environment
        self.source = source
        self.problems = problems
    }

    /// The tree with every reference replaced; values whose reference is wrong are marked as broken.
    static func expand(
        _ node: ConfigNode,
        environment: [String: String],
        source: ConfigSource,
        problems: inout ConfigProblems
    ) -> ConfigNode {
        var expander = EnvironmentExpander(environment: environment, source: source, problems: problems)
        let result = expander.expand(node)
        problems = expander.problems
        return result
    }

    private mutating func expand(_ node: ConfigNode) -> ConfigNode {
        var node = node
        switch node.content {
        case .scalar(let scalar):
            if scalar.text.utf8.contains(UInt8(ascii: "$")) {
                node.content = .scalar(self.expand(scalar, at: node.location))
            }
        case .sequence(let elements):
            node.content = .sequence(elements.map { self.expand($0) })
        case .mapping(var entries):
            for index in entries.indices where !entries[index].isNote {
                entries[index].value = self.expand(entries[index].value)
            }
            node.content = .mapping(entries)
        }
        return node
    }

    private mutating func expand(_ scalar: ConfigScalar, at location: ConfigLocation) -> ConfigScalar {
        var result = scalar
        result.text = ""
        var rest = scalar.text.unicodeScalars[...]
        var cursor = location
        var hasReference = false
        var isWholeReference = false
        while let next = rest.first {
            if rest.starts(with: "$${".unicodeScalars) {
                result.insert("${")
                rest.removeFirst(3)
                result.isPlain = false
            } else if rest.starts(with: "${".unicodeScalars) {
                let end = rest.firstIndex(of: "}").map { rest.index(after: $0) } ?? rest.endIndex
                hasReference = true
                let written = String(Substring(rest[..<end]))
                let place = self.source.find(written, from: cursor) ?? location
                cursor.line = place.endLine
                cursor.column = place.endColumn
                isWholeReference =
                    result.text.isEmpty && rest.startIndex == scalar.text.startIndex && end == rest.endIndex
                if let text = self.value(of: written, at: place, into: &result) {
                    result.insert(text)
                } else {
                    result.isBroken = true
                }
                rest = rest[end...]
            } else {
                result.text.unicodeScalars.append(next)
                rest.removeFirst()
            }
        }
        // Only an unquoted value that is one reference may become a number or a truth value.
        if hasReference, !isWholeReference { result.isPlain = false }
        return result
    }

    private mutating func value(
        of written: String,
        at place: ConfigLocation,
        into result: inout ConfigScalar
    ) -> String? {
        guard let reference = EnvironmentReference(written) else {
            self.problems.add(
                .malformedReference,
                at: place,
                "'\(written.shown)' is no reference to a variable",
                hint: "write ${NAME}, ${NAME:-default} or ${NAME:?text}; a plain '${' is written '$${'"
            )
            return nil
        }
        let value = self.environment[reference.name]
        let text: String
        switch reference.fallback {
        case .none:
            guard let value else { return self.missing(reference, at: place) }
            text = value
        case .text(let fallback):
            text = value.flatMap { $0.isEmpty ? nil : $0 } ?? fallback
            if text != value { return text }  // Not from the environment.
        case .failure:
            guard let value, !value.isEmpty else { return self.missing(reference, at: place) }
            text = value
        }
        result.variables.append(reference.name)
        self.bytesLeft -= text.utf8.count
        guard self.bytesLeft >= 0 else {
            self.problems.add(.fileTooLarge, at: place, "the environment variables of this file are too large together")
            return nil
        }
        return text
    }

    private mutating func missing(_ reference: EnvironmentReference, at place: ConfigLocation) -> String? {
        if case .failure(let words) = reference.fallback {
            let reason = words.isEmpty ? "" : ": \(words.shown)"
            self.problems.add(
                .missingVariable, at: place, "environment variable '\(reference.name)' is not set\(reason)")
        } else {
            self.problems.add(
                .missingVariable,
                at: place,
                "environment variable '\(reference.name)' is not set",
                hint: reference.name == CredentialsFolder.variable
                    ? "systemd sets it in a unit with LoadCredential=; elsewhere set it to the folder of these files"
                    : "set it, or write ${\(reference.name):-default}"
            )
        }
        return nil
    }
}

extension ConfigScalar {
    /// Adds text that did not stand in the file as it is, and so is text whatever it looks like.
    fileprivate mutating func insert(_ text: String) {
        let start = self.text.utf8.count
        self.text += text
        if !text.isEmpty { self.inserted.append(start..<(start + text.utf8.count)) }
    }
}

/// `${NAME}`, `${NAME:-default}` or `${NAME:?text}`.
struct EnvironmentReference {
    /// The value of a variable that is not set, or, with a colon, empty.
    enum Fallback {
        /// A problem.
        case none
        case text(String)
        /// It is a problem, explained by this text.
        case failure(String)
    }

    var name: String
    var fallback: Fallback

    /// Reads a reference with its `${` and `}`; nil when it is not one.
    init?(_ written: String) {
        guard written.hasPrefix("${"), written.hasSuffix("}") else { return nil }
        let body = written.dropFirst(2).dropLast()
        let isName = { (text: Substring) in
            text.utf8.first.map { !(0x30...0x39).contains($0) } == true
                && text.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
                }
        }
        let colon = body.firstIndex(of: ":") ?? body.endIndex
        guard isName(body[..<colon]) else { return nil }
        self.name = String(body[..<colon])
        let rest = body[colon...]
        if rest.isEmpty {
            self.fallback = .none
        } else if rest.hasPrefix(":-") {
            self.fallback = .text(String(rest.dropFirst(2)))
        } else if rest.hasPrefix(":?") {
            self.fallback = .failure(String(rest.dropFirst(2)))
        } else {
            return nil
        }
    }
}
