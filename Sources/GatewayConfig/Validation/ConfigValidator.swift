/// Checks a tree against a schema and types its values, collecting every problem on the way.
struct ConfigValidator {
    let schema: ConfigSchema
    let fileSystem: ConfigFileSystem
    /// What is wrong so far.
    var problems: ConfigProblems
    /// Where secrets stand as text.
    var secrets: [ConfigLocation] = []
    /// The places at which each key of the schema is allowed.
    let homes: [String: [String]]
    /// The names of all keys whose value is a secret.
    let secretKeys: [String]
    /// The defaults that have been parsed, by their text.
    var parsedDefaults: [String: ConfigNode] = [:]
    /// Whether values come from the schema's own defaults.
    var isReadingDefaults = false
    /// The variables that say where files are.
    let environment: [String: String]
    /// Whether relative paths are led to the folder of their file; otherwise they stay as they are written.
    let resolvesPaths: Bool
    /// The file that everything was read from or included into: where the paths of defaults start.
    private var rootFile = ""

    /// Prepares to check against a schema.
    init(
        schema: ConfigSchema, fileSystem: ConfigFileSystem, environment: [String: String] = [:],
        resolvesPaths: Bool = true, problems: ConfigProblems
    ) {
        self.schema = schema
        self.fileSystem = fileSystem
        self.environment = environment
        self.resolvesPaths = resolvesPaths
        self.problems = problems
        self.homes = schema.keyHomes()
        self.secretKeys = schema.secretKeys().sorted()
    }

    /// Checks a whole configuration.
    mutating func root(_ node: ConfigNode) -> ConfigSection {
        self.rootFile = node.location.file
        let value = self.value(node, self.schema, path: "")
        return value.section ?? ConfigSection(path: "", location: node.location, entries: [])
    }

    /// Checks one value.
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
        case (.list(let element, let uniqueKey), .sequence(let elements)):
            return self.list(node, elements, of: element, uniqueKey: uniqueKey, path: path)
        case (.map(let key, let value), .mapping(let entries)):
            return self.map(node, entries, key: key, value: value, path: path)
        case (_, .scalar(let scalar)) where scalar.isNull:
            self.reportNull(node, scalar, schema, path: path)
            return self.invalid(node)
        case (_, .scalar(let scalar)) where schema.shapes == [.scalar]:
            return self.scalar(node, scalar, schema, path: path)
        default:
            self.reportType(node, schema, path: path)
            return self.invalid(node)
        }
    }

    /// Where a path leads that stands at a place.
    func resolved(_ path: String, at location: ConfigLocation) -> String {
        guard self.resolvesPaths else { return path }
        let file = self.isReadingDefaults ? self.rootFile : location.file
        let resolved = ConfigPath.resolved(path, in: file)
        // Below a folder that was named from the working directory it would mean another place in another file.
        let isMoved = resolved != path && !resolved.hasPrefix("/") && self.rootFile.contains("/")
        let folder = isMoved ? self.fileSystem.workingDirectory() : ""
        return folder.isEmpty ? resolved : ConfigPath.resolved(resolved, in: folder + "/")
    }

    func invalid(_ node: ConfigNode) -> ConfigValue {
        ConfigValue(.invalid, origin: self.origin(node), location: node.location)
    }

    /// Where a node's value came from.
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
        self.problems.add(.wrongType, at: node.location, "\(name) must be \(what), not \(shape)")
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
        let candidates = alternatives.filter { $0.shapes.contains(node.shape) }
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
            if attempt.problems.all.count == self.problems.all.count, value.isValid { return value }
        }
        return self.value(node, first, path: path)
    }
}
