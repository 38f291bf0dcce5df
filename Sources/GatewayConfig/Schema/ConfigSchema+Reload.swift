extension ConfigSchema {
    /// One key without keys below it, and what its change does.
    public struct ReloadKey: Sendable, Hashable {
        /// The dotted name: `virtual_devices[].setup.http`.
        public let path: String
        /// The class that the key, or the nearest mapping around it, declares; nil when none does.
        public let reload: ReloadClass?
    }

    /// Every key without keys below it, in the order of the schema.
    public var reloadKeys: [ReloadKey] { Self.keys(of: self, path: "", reload: nil) }

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
        case .oneOf(let alternatives): return alternatives.flatMap { self.keys(of: $0, path: path, reload: reload) }
        default: return []
        }
    }

    /// The same schema with the class of every field filled in from the mappings around it.
    func resolvingReload(_ inherited: ReloadClass? = nil) -> ConfigSchema {
        switch self.kind {
        case .object(let fields):
            return .object(
                fields.map { field in
                    let reload = field.reload ?? inherited
                    return ConfigField(
                        field.name, field.schema.resolvingReload(reload), field.presence, field.meaning,
                        example: field.example, reload: reload)
                })
        case .list(let element, let key): return .list(of: element.resolvingReload(inherited), uniqueKey: key)
        case .map(let key, let value): return .map(key: key, value: value.resolvingReload(inherited))
        case .oneOf(let alternatives):
            return ConfigSchema(.oneOf(alternatives.map { $0.resolvingReload(inherited) }))
        default: return self
        }
    }
}
