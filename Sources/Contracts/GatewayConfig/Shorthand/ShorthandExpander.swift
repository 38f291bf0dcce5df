/// Writes out what a configuration says in short: elements that `for_each` makes, what they take from defaults, and groups.
///
/// It runs on the tree of all files, before anything is checked: the rest of Castway sees a file in which everything was written
/// out. Where a schema allows which short form is said by its ``ConfigShorthand``.
struct ShorthandExpander {
    /// The number of values `for_each`, defaults and groups may make in all.
    static let nodeLimit = 200_000

    private let schema: ConfigSchema
    private let sources: [String: ConfigSource]
    private var validator: ConfigValidator
    private var nodesLeft = Self.nodeLimit
    /// The defaults that the file has, by their keys, and how many values each has.
    private var defaults: [String: (entries: ElementDefaults, size: Int, location: ConfigLocation)] = [:]

    private init(schema: ConfigSchema, sources: [String: ConfigSource], validator: ConfigValidator) {
        self.schema = schema
        self.sources = sources
        self.validator = validator
    }

    /// The tree written out. Defaults are no longer in it; they are checked by the validator.
    /// - Parameters:
    ///   - tree: the root with all included files.
    ///   - validator: has the schema of the root; takes over what is wrong, and where secrets stand.
    static func expand(
        _ tree: ConfigNode, sources: [String: ConfigSource], validator: inout ConfigValidator
    ) -> ConfigNode {
        guard var entries = tree.entries else { return tree }
        var expander = ShorthandExpander(schema: validator.schema, sources: sources, validator: validator)
        expander.readDefaults(entries)
        expander.expandLists(in: &entries, validator.schema)
        entries.removeAll { entry in
            if case .defaults = validator.schema.field(entry.key)?.schema.shorthand { true } else { false }
        }
        validator = expander.validator
        let result = ConfigNode(.mapping(entries), at: tree.location)
        let nodesLeft = expander.nodesLeft
        guard var groups = GroupExpander(entries, validator.schema, nodesLeft: nodesLeft) else { return result }
        let expanded = groups.expand(result, validator.schema)
        if let place = groups.overflow {
            validator.problems.add(
                .tooManyNodes, at: place, "groups make more than \(Self.nodeLimit) values",
                hint: "each name of a group counts as all its members")
        }
        return expanded
    }

    /// Checks the defaults that the root has, also those of lists that it does not have.
    private mutating func readDefaults(_ root: [ConfigEntry]) {
        guard case .object(let fields) = self.schema.kind else { return }
        for field in fields {
            guard case .elements(let named) = field.schema.shorthand, let key = named,
                case .list(let element, _) = field.schema.kind, let schema = self.schema.field(key)?.schema,
                let entry = root.first(where: { $0.key == key })
            else { continue }
            let read = ElementDefaults(
                entry.value, key: key, schema: schema, element: element, validator: &self.validator)
            self.defaults[key] = (read, entry.value.nodeCount, entry.keyLocation)
        }
    }

    /// Expands the lists among the keys of a mapping, and of those below it.
    private mutating func expandLists(in entries: inout [ConfigEntry], _ schema: ConfigSchema) {
        for index in entries.indices where !entries[index].isNote {
            guard let field = schema.field(entries[index].key) else { continue }
            switch (field.schema.kind, entries[index].value.content) {
            case (.object, .mapping(var inner)):
                self.expandLists(in: &inner, field.schema)
                entries[index].value.content = .mapping(inner)
            case (.list, .sequence(let elements)):
                guard case .elements(let defaults) = field.schema.shorthand else { continue }
                entries[index].value.content = .sequence(self.expand(elements, defaults))
            default: break
            }
        }
    }

    private mutating func expand(_ elements: [ConfigNode], _ key: String?) -> [ConfigNode] {
        var forEach = ForEachExpander(
            sources: self.sources, problems: self.validator.problems, nodesLeft: self.nodesLeft)
        let elements = forEach.expand(elements)
        self.validator.problems = forEach.problems
        self.nodesLeft = forEach.nodesLeft
        guard let key, let shared = self.defaults[key] else { return elements }
        guard elements.count <= self.nodesLeft / max(shared.size, 1) else {
            self.validator.problems.add(
                .tooManyNodes, at: shared.location, "'\(key)' makes more than \(Self.nodeLimit) values",
                hint: "each element counts as all that the defaults have")
            return []
        }
        self.nodesLeft -= elements.count * shared.size
        return elements.map(shared.entries.complete)
    }
}
