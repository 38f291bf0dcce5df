import Synchronization

/// Checks a tree against a schema and types its values, collecting every problem on the way.
struct ConfigValidator {
    let schema: ConfigSchema
    let fileSystem: ConfigFileSystem
    var problems: ConfigProblems
    /// The places of secrets as text.
    var secrets: [ConfigLocation] = []
    /// The defaults of the schema that have been parsed.
    private let defaults: ParsedDefaults
    /// Whether values come from the schema's own defaults.
    var isReadingDefaults = false
    /// The variables that say where files are.
    let environment: [String: String]
    /// True if relative paths are led to the folder of their file; otherwise they stay as they are written.
    let resolvesPaths: Bool
    /// Reads the tree as JSON: a text is no number there, and keys that begin with `x-` are keys like all others.
    var readsJSON = false
    /// The file that everything was read from or included into: where the paths of defaults start.
    private var rootFile = ""

    init(
        schema: ConfigSchema, fileSystem: ConfigFileSystem, environment: [String: String] = [:],
        resolvesPaths: Bool = true, defaults: ParsedDefaults = ParsedDefaults(), problems: ConfigProblems
    ) {
        self.schema = schema
        self.fileSystem = fileSystem
        self.environment = environment
        self.resolvesPaths = resolvesPaths
        self.defaults = defaults
        self.problems = problems
    }

    mutating func root(_ node: ConfigNode) -> ConfigSection {
        self.rootFile = node.location.file
        let value = self.value(node, self.schema, path: "")
        return value.section ?? ConfigSection(path: "", location: node.location, entries: [])
    }

    mutating func value(_ node: ConfigNode, _ schema: ConfigSchema, path: String) -> ConfigValue {
        switch (schema.kind, node.content) {
        case (_, .scalar(let scalar)) where scalar.isBroken:
            return self.invalid(node)
        case (.oneOf(let alternatives), _):
            return self.alternative(node, alternatives, of: schema, path: path)
        case (.json, _):
            self.maskSecrets(in: node)
            return ConfigValue(.json(node.json), origin: self.origin(node), location: node.location, node: node)
        case (.object(let fields), .mapping(let entries)):
            return self.object(node, entries, fields, path: path)
        case (.list, .sequence(let elements)) where elements.isEmpty && schema.emptyHint != nil:
            self.problems.add(.emptyList, at: node.location, "'\(path)' is an empty list", hint: schema.emptyHint)
            return self.invalid(node)
        case (.list(let element, let uniqueKey), .sequence(let elements)):
            return self.list(node, elements, of: element, uniqueKey: uniqueKey, path: path)
        case (.map(let key, let value), .mapping(let entries)):
            return self.map(node, entries, key: key, value: value, path: path)
        case (.openObject(let fields, let key, let value), .mapping(let entries)):
            return self.map(node, entries, fields: fields, key: key, value: value, path: path)
        case (_, .scalar(let scalar)) where scalar.isNull:
            self.reportNull(node, scalar, schema, path: path)
            return self.invalid(node)
        case (_, .scalar(let scalar)) where self.isUnfit(scalar, schema):
            self.reportType(node, schema, path: path)
            return self.invalid(node)
        case (_, .scalar(let scalar)) where schema.shapes == [.scalar]:
            return self.scalar(node, scalar, schema, path: path)
        default:
            self.reportType(node, schema, path: path)
            return self.invalid(node)
        }
    }

    /// Resolves a path that stands at a place.
    func resolved(_ path: String, at location: ConfigLocation) -> String {
        guard self.resolvesPaths else { return path }
        let file = self.isReadingDefaults ? self.rootFile : location.file
        let resolved = ConfigPath.resolved(path, in: file)
        // Below a folder that was named from the working directory it would mean another place in another file.
        let isMoved = resolved != path && !resolved.hasPrefix("/") && self.rootFile.contains("/")
        let folder = isMoved ? self.fileSystem.workingDirectory() : ""
        return folder.isEmpty ? resolved : ConfigPath.resolved(resolved, in: folder + "/")
    }

    /// True if a scalar that was JSON is of another type than is wanted. Defaults are YAML.
    private func isUnfit(_ scalar: ConfigScalar, _ schema: ConfigSchema) -> Bool {
        self.readsJSON && !self.isReadingDefaults && schema.shapes == [.scalar] && !schema.fits(scalar)
    }

    private func isNote(_ entry: ConfigEntry) -> Bool { !self.readsJSON && entry.isNote }

    func invalid(_ node: ConfigNode) -> ConfigValue {
        ConfigValue(.invalid, origin: self.origin(node), location: node.location)
    }

    /// The origin of a node's value.
    func origin(_ node: ConfigNode) -> ConfigOrigin {
        if self.isReadingDefaults { return .default }
        if case .scalar(let scalar) = node.content, !scalar.variables.isEmpty {
            return .environment(scalar.variables, node.location)
        }
        return .file(node.location)
    }

    mutating func reportType(_ node: ConfigNode, _ schema: ConfigSchema, path: String) {
        let name = path.isEmpty ? "the file" : "'\(path)'"
        let what = path.isEmpty ? "a mapping of keys to values" : schema.expectation
        var isHidden = schema.isSecret
        if case .map(_, let element) = schema.kind { isHidden = element.isSecret }
        if case .list(let element, _) = schema.kind { isHidden = element.isSecret }
        if isHidden { self.secrets.append(node.location) }
        let isText = if case .scalar = node.content { true } else { false }
        let shape = isHidden && isText ? "a single value" : node.shapeName
        let hint = isHidden ? nil : Self.listHint(node, schema)
        self.problems.add(.wrongType, at: node.location, "\(name) must be \(what), not \(shape)", hint: hint)
    }

    private mutating func reportNull(_ node: ConfigNode, _ scalar: ConfigScalar, _ schema: ConfigSchema, path: String) {
        let hint: String
        if let variable = scalar.variables.first {
            hint = "environment variable '\(variable)' is empty"
        } else if schema.shapes.contains(.sequence) {
            hint = "remove the key, or write []"
        } else if schema.shapes.contains(.mapping) {
            hint = "remove the key, or write {}"
        } else {
            hint = "remove the key, or write \(schema.expectation)"
        }
        let name = path.isEmpty ? "the file" : "'\(path)'"
        self.problems.add(.noValue, at: node.location, "\(name) has no value", hint: hint)
    }

    private mutating func alternative(
        _ node: ConfigNode,
        _ alternatives: [ConfigSchema],
        of schema: ConfigSchema,
        path: String
    ) -> ConfigValue {
        // Of several mappings the one that has one of the keys is what was meant.
        let fitting = alternatives.filter { $0.shapes.contains(node.shape) }
        let named = fitting.filter { $0.hasKey(of: node) }
        if self.reportMixture(node, named, path: path) { return self.invalid(node) }
        let candidates = named.isEmpty ? fitting : named
        guard let first = candidates.first else {
            if case .scalar(let scalar) = node.content, scalar.isNull {
                self.reportNull(node, scalar, schema, path: path)
            } else {
                self.reportType(node, schema, path: path)
            }
            return self.invalid(node)
        }
        for candidate in candidates.dropFirst() {
            var attempt = self
            let value = attempt.value(node, candidate, path: path)
            guard attempt.problems.count == self.problems.count, value.isValid else { continue }
            // With it comes where its secrets stand.
            self = attempt
            return value
        }
        if case .scalar(let scalar) = node.content, !scalar.isNull, case .word(let words) = first.kind,
            !words.contains(scalar.text),
            self.commentHint(scalar, first) == nil, EditDistance.suggestion(for: scalar.text, among: words) == nil,
            let key = alternatives.lazy.compactMap(\.onlyRequiredKey).first
        {
            self.problems.add(
                .notAllowed, at: node.location, "'\(path)' must be \(schema.expectation), not \(node.shapeName)",
                hint: "did you mean {\(key): \(scalar.text.shown)}?")
            return self.invalid(node)
        }
        return self.value(node, first, path: path)
    }
}

extension ConfigValidator {
    /// Reports a mapping with keys of several alternatives; returns whether it is one.
    private mutating func reportMixture(_ node: ConfigNode, _ alternatives: [ConfigSchema], path: String) -> Bool {
        let keys = (node.entries ?? []).filter { entry in alternatives.contains { $0.field(entry.key) != nil } }
        guard let first = keys.first, alternatives.count > 1,
            !alternatives.contains(where: { schema in keys.allSatisfy { schema.field($0.key) != nil } }),
            let other = keys.first(where: { entry in
                alternatives.contains { $0.field(first.key) != nil && $0.field(entry.key) == nil }
            })
        else { return false }
        self.problems.add(
            .inconsistent, at: other.keyLocation, "'\(path)' has '\(first.key)' and '\(other.key)'",
            hint: "keep one of them")
        return true
    }

    /// Checks a mapping with known keys and fills in what is not written.
    mutating func object(
        _ node: ConfigNode,
        _ entries: [ConfigEntry],
        _ fields: [ConfigField],
        path: String
    ) -> ConfigValue {
        let start = node.start.line == 0 ? node.location : node.start
        var written: [String: ConfigEntry] = [:]
        var suggested: [String] = []
        let keys = fields.flatMap(\.keys)
        for entry in entries where !self.isNote(entry) {
            if keys.contains(entry.key) {
                written[entry.key] = entry
            } else {
                self.reportUnknown(entry, keys, path: path).map { suggested.append($0) }
            }
        }
        var values: [ConfigSection.Entry] = []
        for field in fields {
            let fieldPath = path.isEmpty ? field.name : "\(path).\(field.name)"
            var value: ConfigValue?
            if let fileKey = field.fileKey, let entry = written[fileKey] {
                value = self.secretFile(entry, other: written[field.name], path: fieldPath)
            } else if let entry = written[field.name] {
                value = self.value(entry.value, field.schema, path: fieldPath)
            } else if field.keys.contains(where: suggested.contains) {
                // Written with a slip, which is one problem and not two.
                value = ConfigValue(.invalid, origin: .default, location: start)
            } else {
                value = self.absent(field, known: values, at: start, path: fieldPath)
            }
            if let value { values.append(.init(field: field, value: value)) }
        }
        let section = ConfigSection(path: path, location: start, entries: values)
        return ConfigValue(.section(section), origin: self.origin(node), location: start)
    }

    private mutating func absent(
        _ field: ConfigField,
        known: [ConfigSection.Entry],
        at location: ConfigLocation,
        path: String
    ) -> ConfigValue? {
        switch field.presence {
        case .optional:
            return nil
        case .sameAs(let name):
            let other = known.first { $0.field.name == name }?.value
            return other.map { ConfigValue($0.content, origin: .default, location: $0.location) }
        case .defaultsTo(let text):
            return self.defaultValue(text, field.schema, at: location, path: path)
        case .required:
            let example = field.example.map { self.readsJSON ? $0 : "\(field.name): \($0)" }
            let hint = field.fileKey.map { "or '\($0)'" } ?? example.map { "for example: \($0)" }
            self.problems.add(.missingKey, at: location, "'\(path)' is missing", hint: hint)
            return ConfigValue(.invalid, origin: .default, location: location)
        }
    }

    /// The value of a default, which is YAML text in the schema.
    private mutating func defaultValue(
        _ text: String,
        _ schema: ConfigSchema,
        at location: ConfigLocation,
        path: String
    ) -> ConfigValue {
        guard var node = self.defaults.node(text) else {
            return ConfigValue(.invalid, origin: .default, location: location)
        }
        // Problems between a default and a written value must point into the file that was written.
        node.relocate(to: location)
        var reader = self
        reader.isReadingDefaults = true
        let value = reader.value(node, schema, path: path)
        self.problems = reader.problems
        return value
    }

    /// Hints for top-level words of other projects, and for sections that are separate programs.
    private static let otherWords = [
        "devices": "real devices are found by 'discovery'; those at known addresses stand under 'discovery.static'",
        "receivers": "what senders see stands under 'virtual_devices'",
        "keys": "it is not part of the gateway; run Clients/python/examples/host_keys.py beside it",
    ]

    /// Reports a key that does not exist here; returns the key that was probably meant.
    private mutating func reportUnknown(_ entry: ConfigEntry, _ keys: [String], path: String) -> String? {
        guard !self.problems.isFull else {
            // Only counted, without a search for what was meant.
            self.problems.add(.unknownKey, at: entry.keyLocation, "")
            return nil
        }
        if EditDistance.suggestion(for: entry.key, among: self.schema.secretKeys().sorted()) != nil {
            self.secrets.append(entry.value.location)
        }
        let place = path.isEmpty ? "at the top level" : "in '\(path)'"
        let hint: String
        let suggestion = EditDistance.suggestion(for: entry.key, among: keys) ?? Self.key(begunBy: entry.key, keys)
        if let suggestion {
            hint = "did you mean '\(suggestion)'?  (known: \(Self.listed(keys)))"
        } else if path.isEmpty, !self.readsJSON, let words = Self.otherWords[entry.key] {
            hint = words
        } else if let homes = self.schema.keyHomes()[entry.key] {
            hint = "'\(entry.key)' belongs \(String.alternatives(Array(homes.prefix(3))))"
        } else {
            hint = keys.isEmpty ? "there are no keys" : "known: \(Self.listed(keys))"
        }
        self.problems.add(
            .unknownKey,
            at: entry.keyLocation,
            "unknown key '\(entry.key.shown)' \(place)",
            hint: hint
        )
        return suggestion
    }

    private static func listed(_ keys: [String]) -> String {
        keys.prefix(6).joined(separator: ", ") + (keys.count > 6 ? ", …" : "")
    }
}

extension ConfigValidator {
    /// Checks a list, and that the elements differ in their unique key.
    mutating func list(
        _ node: ConfigNode,
        _ elements: [ConfigNode],
        of schema: ConfigSchema,
        uniqueKey: String?,
        path: String
    ) -> ConfigValue {
        let elementPath = "\(path)[]"
        var values: [ConfigValue] = []
        var places: [String: ConfigLocation] = [:]
        for (index, element) in elements.enumerated() {
            guard !self.problems.isFull else {
                // Nothing will be read from it; values and defaults of thousands of elements are not worth their memory.
                self.problems.skip(elements.count - index)
                break
            }
            let value = self.value(element, schema, path: elementPath)
            values.append(value)
            guard let uniqueKey, let name = value.section?.value(uniqueKey), let text = name.string else { continue }
            if let first = places[text] {
                self.problems.add(
                    .duplicateName,
                    at: name.location,
                    "\(uniqueKey) '\(text.shown)' is used twice in '\(path)'",
                    hint: "first at \(first)"
                )
            } else {
                places[text] = name.location
            }
        }
        return ConfigValue(.list(values), origin: self.origin(node), location: node.location)
    }

    /// Checks a mapping whose keys the operator chose, with fields of a meaning of their own beside them.
    mutating func map(
        _ node: ConfigNode,
        _ entries: [ConfigEntry],
        fields: [ConfigField] = [],
        key: ConfigSchema,
        value: ConfigSchema,
        path: String
    ) -> ConfigValue {
        var values: [ConfigValue.Entry] = []
        let names = fields.map(\.name)
        for entry in entries where !self.isNote(entry) {
            if let field = fields.first(where: { $0.name == entry.key }) {
                let checked = self.value(entry.value, field.schema, path: "\(path).\(field.name)")
                values.append(.init(key: entry.key, keyLocation: entry.keyLocation, value: checked))
                continue
            }
            if !self.problems.isFull, EditDistance.suggestion(for: entry.key, among: names) != nil {
                _ = self.reportUnknown(entry, names, path: path)
                continue
            }
            let scalar = ConfigScalar(text: entry.key, style: .doubleQuoted, isPlain: false)
            let keyNode = ConfigNode(.scalar(scalar), at: entry.keyLocation)
            let checkedKey = self.value(keyNode, key, path: "a key of \(path)")
            let checked = self.value(entry.value, value, path: "\(path).\(entry.key.shown)")
            guard checkedKey.isValid else { continue }
            values.append(.init(key: entry.key, keyLocation: entry.keyLocation, value: checked))
        }
        return ConfigValue(.map(values), origin: self.origin(node), location: node.start)
    }
}

/// The defaults of a schema as they were parsed, by their text: every check against the schema needs the same ones.
final class ParsedDefaults: Sendable {
    private let nodes = Mutex<[String: ConfigNode]>([:])

    /// The value of a default; nil for a text that is no YAML.
    func node(_ text: String) -> ConfigNode? {
        if let known = self.nodes.withLock({ $0[text] }) { return known }
        guard let node = ConfigNode(yaml: text) else { return nil }
        self.nodes.withLock { $0[text] = node }
        return node
    }
}

extension ConfigSchema {
    /// The number of keys of a mapping that are looked at for slips.
    private static let slipLimit = 64

    /// True if a mapping has one of this one's keys, or what looks like a slip in one.
    fileprivate func hasKey(of node: ConfigNode) -> Bool {
        guard case .object(let fields) = self.kind, let entries = node.entries else { return false }
        let keys = fields.flatMap(\.keys)
        return entries.contains { keys.contains($0.key) }
            || entries.prefix(Self.slipLimit).contains { EditDistance.suggestion(for: $0.key, among: keys) != nil }
    }
}
