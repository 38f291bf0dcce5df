package import CastWire
import _StringProcessing

/// The allowed values of a plugin's part of a configuration, as its author wrote them in JSON Schema: the commonest words
/// of draft-07.
///
/// Known are `type`, `properties`, `required`, `additionalProperties`, `items`, `enum`, `minimum`, `maximum`, `minLength`,
/// `maxLength`, `minItems`, `maxItems`, `pattern` and `default`; words that only describe are passed over, and others are
/// an error, so that no schema promises what is not checked.
package struct ValueSchema: Sendable {
    enum Kind: String, CaseIterable {
        case null, boolean, integer, number, string, array, object
    }

    struct Property: Sendable {
        let name: String
        let schema: ValueSchema
    }

    /// The schema of an object's members beside its properties.
    indirect enum Others: Sendable {
        case anything
        case nothing
        case schema(ValueSchema)
    }

    var kinds: Set<Kind> = []
    var properties: [Property] = []
    var required: [String] = []
    var others = Others.anything
    var items: [ValueSchema] = []
    var words: [JSONValue] = []
    var minimum: Double?
    var maximum: Double?
    var lengths: ClosedRange<Int>?
    var counts: ClosedRange<Int>?
    var pattern: String?
    var fallback: JSONValue?

    /// A schema that everything fits.
    package init() {}

    /// Reads a schema from a file.
    /// - Returns: the schema, nil when something is wrong with it; and the file with what is wrong, for
    ///   ``ConfigDocument/adopt(_:)``.
    package static func load(
        path: String, fileSystem: ConfigFileSystem
    ) -> (schema: ValueSchema?, document: ConfigDocument) {
        var (tree, document) = ConfigDocument.loadTree(path: path, fileSystem: fileSystem)
        guard let tree, !document.problems.hasErrors else { return (nil, document) }
        var reader = ValueSchemaReader(problems: document.problems)
        let schema = reader.schema(tree, depth: 0)
        document.problems = reader.problems
        return (document.problems.hasErrors ? nil : schema, document)
    }
}

extension ValueSchema {
    /// Checks a value, and fills in what is not written and has a default.
    /// - Parameters:
    ///   - value: a value of a `json` field.
    ///   - path: the field's dotted name, for messages.
    ///   - problems: receives what is wrong, at its place in the file.
    /// - Returns: the value with defaults.
    package func complete(_ value: ConfigValue, path: String, problems: inout ConfigProblems) -> JSONValue {
        let node = value.node ?? ConfigNode(.mapping([]), at: value.location)
        return self.complete(node, path: path, problems: &problems)
    }

    /// The place of a part of a value, by a JSON pointer (RFC 6901); the nearest part around it when it is not written.
    package static func location(of pointer: String, in value: ConfigValue) -> ConfigLocation {
        guard var node = value.node else { return value.location }
        for part in pointer.split(separator: "/") {
            let name = part.replacing("~1", with: "/").replacing("~0", with: "~")
            switch node.content {
            case .mapping(let entries):
                guard let entry = entries.first(where: { $0.key == name }) else { return node.start }
                node = entry.value
            case .sequence(let elements):
                guard let index = Int(name), elements.indices.contains(index) else { return node.start }
                node = elements[index]
            case .scalar: return node.location
            }
        }
        return node.location
    }

    private func complete(_ node: ConfigNode, path: String, problems: inout ConfigProblems) -> JSONValue {
        let json = node.json
        guard self.kinds.isEmpty || self.kinds.contains(where: { $0.fits(json) }) else {
            let words = Kind.allCases.filter(self.kinds.contains).map(\.words)
            problems.add(
                .wrongType, at: node.location,
                "'\(path)' must be \(String.alternatives(words)), not \(Self.shown(node, path))")
            return json
        }
        if !self.words.isEmpty, !self.words.contains(where: { $0.isEquivalent(to: json) }) {
            let words = self.words.map { word in if case .string(let text) = word { text } else { word.text } }
            var hint: String?
            if case .string(let text) = json {
                hint = EditDistance.suggestion(for: text, among: words).map { "did you mean '\($0)'?" }
            }
            problems.add(
                .notAllowed, at: node.location,
                "'\(path)' must be \(String.alternatives(words)), not \(Self.shown(node, path))",
                hint: hint)
        }
        switch (node.content, json) {
        case (.mapping(let entries), _): return self.complete(node, entries, path: path, problems: &problems)
        case (.sequence(let elements), _):
            if let counts, !counts.contains(elements.count) {
                problems.add(
                    .outOfRange, at: node.location,
                    "'\(path)' must have \(Self.words(counts)) elements, not \(elements.count)")
            }
            guard let schema = self.items.first else { return json }
            return .array(elements.map { schema.complete($0, path: "\(path)[]", problems: &problems) })
        case (_, .number(let number)): self.check(number.doubleValue, node, path, &problems)
        case (_, .string(let text)): self.check(text, node, path, &problems)
        default: break
        }
        return json
    }

    private func complete(
        _ node: ConfigNode, _ entries: [ConfigEntry], path: String, problems: inout ConfigProblems
    ) -> JSONValue {
        var members: [(String, JSONValue)] = []
        let names = self.properties.map(\.name)
        var suggested: [String] = []
        for entry in entries where !entry.isNote {
            let own = "\(path).\(entry.key.shown)"
            if let property = self.properties.first(where: { $0.name == entry.key }) {
                members.append((entry.key, property.schema.complete(entry.value, path: own, problems: &problems)))
                continue
            }
            switch self.others {
            case .anything: members.append((entry.key, entry.value.json))
            case .schema(let schema):
                members.append((entry.key, schema.complete(entry.value, path: own, problems: &problems)))
            case .nothing:
                let suggestion = EditDistance.suggestion(for: entry.key, among: names)
                if let suggestion { suggested.append(suggestion) }
                problems.add(
                    .unknownKey, at: entry.keyLocation, "unknown key '\(entry.key.shown)' in '\(path)'",
                    hint: suggestion.map { "did you mean '\($0)'?" }
                        ?? (names.isEmpty ? nil : "known: \(names.joined(separator: ", "))"))
            }
        }
        for property in self.properties where !entries.contains(where: { $0.key == property.name }) {
            if let value = property.schema.fallback { members.append((property.name, value)) }
        }
        // What is written with a slip is one problem and not two.
        for name in self.required where !suggested.contains(name) && !members.contains(where: { $0.0 == name }) {
            problems.add(.missingKey, at: node.start, "'\(path).\(name.shown)' is missing")
        }
        return .object(JSONObject(members))
    }

    private func check(_ number: Double, _ node: ConfigNode, _ path: String, _ problems: inout ConfigProblems) {
        if let minimum, number < minimum {
            problems.add(
                .outOfRange, at: node.location,
                "'\(path)' must be at least \(minimum.configText), not \(number.configText)")
        } else if let maximum, number > maximum {
            problems.add(
                .outOfRange, at: node.location,
                "'\(path)' must be at most \(maximum.configText), not \(number.configText)")
        }
    }

    private func check(_ text: String, _ node: ConfigNode, _ path: String, _ problems: inout ConfigProblems) {
        if let lengths, !lengths.contains(text.unicodeScalars.count) {
            problems.add(.outOfRange, at: node.location, "'\(path)' must have \(Self.words(lengths)) characters")
        }
        // The pattern was tried when the schema was read.
        if let pattern, let expression = try? Regex(pattern), (try? expression.firstMatch(in: text)) == nil {
            problems.add(
                .malformedValue, at: node.location,
                "'\(path)' must match \(pattern.shown), not \(Self.shown(node, path))")
        }
    }

    /// A value for a message; what is taken for a secret is not shown.
    private static func shown(_ node: ConfigNode, _ path: String) -> String {
        Secret.isNamed(path) ? Secret.redacted : node.shapeName
    }

    private static func words(_ range: ClosedRange<Int>) -> String {
        switch (range.lowerBound, range.upperBound) {
        case (0, let most): "at most \(most)"
        case (let least, Int.max): "at least \(least)"
        case (let least, let most): "\(least) to \(most)"
        }
    }
}

extension ValueSchema.Kind {
    fileprivate func fits(_ json: JSONValue) -> Bool {
        switch (self, json) {
        case (.null, .null), (.boolean, .bool), (.number, .number), (.string, .string), (.array, .array),
            (.object, .object):
            true
        case (.integer, .number(let value)): value.doubleValue.rounded() == value.doubleValue
        default: false
        }
    }

    fileprivate var words: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .integer: "a whole number"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "a mapping"
        }
    }
}
