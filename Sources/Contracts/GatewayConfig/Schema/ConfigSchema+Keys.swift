extension ConfigSchema {
    /// For every key of the schema the places where it is allowed, as they follow "belongs".
    func keyHomes() -> [String: [String]] {
        var homes: [String: [String]] = [:]
        self.collectHomes(path: "", into: &homes)
        return homes
    }

    /// The names of all keys whose value is a secret.
    func secretKeys() -> Set<String> {
        switch self.kind {
        case .object(let fields):
            fields.reduce(into: []) { keys, field in
                if field.schema.isSecret || field.schema.elementIsSecret { keys.insert(field.name) }
                keys.formUnion(field.schema.secretKeys())
            }
        case .list(let element, _): element.secretKeys()
        case .map(_, let value): value.secretKeys()
        case .openObject(let fields, _, let value): ConfigSchema.object(fields).secretKeys().union(value.secretKeys())
        case .oneOf(let alternatives): alternatives.reduce(into: []) { $0.formUnion($1.secretKeys()) }
        default: []
        }
    }

    /// True if the value is a text that is never shown.
    var isSecret: Bool {
        switch self.kind {
        case .secret: true
        case .text(let rule): rule.isSecret
        default: false
        }
    }

    /// True if the value is a mapping or a list of texts that are never shown.
    private var elementIsSecret: Bool {
        switch self.kind {
        case .list(let element, _): element.isSecret
        case .map(_, let value): value.isSecret
        default: false
        }
    }

    private func collectHomes(path: String, into homes: inout [String: [String]]) {
        // What may stand there belongs elsewhere.
        if case .defaults = self.shorthand { return }
        switch self.kind {
        case .object(let fields):
            for field in fields {
                for key in field.keys {
                    homes[key, default: []].append(path.isEmpty ? "at the top level" : "under '\(path)'")
                }
                field.schema.collectHomes(path: path.isEmpty ? field.name : "\(path).\(field.name)", into: &homes)
            }
        case .list(let element, _):
            self.elementAsWritten(element).collectHomes(path: "\(path)[]", into: &homes)
        case .map(let key, let value):
            value.collectHomes(path: "\(path).\(key.placeholder)", into: &homes)
        case .openObject(let fields, let key, let value):
            ConfigSchema.object(fields).collectHomes(path: path, into: &homes)
            value.collectHomes(path: "\(path).\(key.placeholder)", into: &homes)
        case .oneOf(let alternatives):
            for alternative in alternatives { alternative.collectHomes(path: path, into: &homes) }
        default:
            break
        }
    }

    /// The placeholder for a chosen key in a path.
    var placeholder: String {
        if case .appID = self.kind { "APP" } else { "NAME" }
    }
}

extension ConfigSchema {
    /// One key without keys below it, and what its change does.
    package struct ReloadKey: Sendable, Hashable {
        /// The dotted name: `virtual_devices[].setup.http`.
        package let path: String
        /// The class that the key, or the nearest mapping around it, declares; nil when none does.
        package let reload: ReloadClass?
    }

    /// Every key without keys below it, in the order of the schema.
    package var reloadKeys: [ReloadKey] { Self.keys(of: self, path: "", reload: nil) }

    private static func keys(of schema: ConfigSchema, path: String, reload: ReloadClass?) -> [ReloadKey] {
        switch schema.kind {
        case .object(let fields):
            return fields.flatMap { field in
                let own = path.isEmpty ? field.name : "\(path).\(field.name)"
                let inner = self.keys(of: field.schema, path: own, reload: field.reload ?? reload)
                return inner.isEmpty ? [ReloadKey(path: own, reload: field.reload ?? reload)] : inner
            }
        case .list(let element, _): return self.keys(of: element, path: "\(path)[]", reload: reload)
        case .map(let key, let value): return self.keys(of: value, path: "\(path).\(key.placeholder)", reload: reload)
        case .openObject(let fields, let key, let value):
            return self.keys(of: .object(fields), path: path, reload: reload)
                + self.keys(of: value, path: "\(path).\(key.placeholder)", reload: reload)
        case .oneOf(let alternatives): return alternatives.flatMap { self.keys(of: $0, path: path, reload: reload) }
        default: return []
        }
    }

    /// The same schema as people and editors are told of it: the class of every field filled in from the mappings around it, and
    /// elements of lists as a file may write them.
    func resolvingReload(_ inherited: ReloadClass? = nil) -> ConfigSchema {
        let kind: Kind
        switch self.kind {
        case .object(let fields): kind = .object(fields.map { $0.resolvingReload(inherited) })
        case .list(let element, let key):
            kind = .list(self.elementAsWritten(element).resolvingReload(inherited), uniqueKey: key)
        case .map(let key, let value): kind = .map(key: key, value: value.resolvingReload(inherited))
        case .openObject(let fields, let key, let value):
            kind = .openObject(
                fields.map { $0.resolvingReload(inherited) }, key: key, value: value.resolvingReload(inherited))
        case .oneOf(let alternatives): kind = .oneOf(alternatives.map { $0.resolvingReload(inherited) })
        default: return self
        }
        return ConfigSchema(kind, shorthand: self.shorthand)
    }
}

extension ConfigField {
    /// The same field with the class that holds for it, and for those below it, filled in.
    fileprivate func resolvingReload(_ inherited: ReloadClass?) -> ConfigField {
        let reload = self.reload ?? inherited
        return ConfigField(
            self.name, self.schema.resolvingReload(reload), self.presence, self.meaning, example: self.example,
            reload: reload)
    }
}
