/// Puts the members of groups where their names stand.
///
/// Which lists may name groups is said by their schemas: see ``ConfigType/namingGroups(_:)``. Whether groups have the members that
/// they name is checked by the feature that owns them.
struct GroupExpander {
    /// The members of each group, single values.
    private let members: [String: [ConfigNode]]
    /// The names that there are, in their order.
    private let names: [String]
    private var nodesLeft: Int
    /// The place where there were too many members; nil when there was room for all.
    private(set) var overflow: ConfigLocation?

    /// Finds the groups of a configuration; nil when it has none, and no names that patterns could stand for.
    /// - Parameters:
    ///   - root: the root, its lists complete.
    ///   - nodesLeft: how many members may be put in all together.
    init?(_ root: [ConfigEntry], _ schema: ConfigSchema, nodesLeft: Int) {
        guard case .object(let fields) = schema.kind else { return nil }
        var list: String?
        var key: String?
        for field in fields {
            if case .groups(let of) = field.schema.shorthand { (key, list) = (field.name, of) }
        }
        guard let key, let list else { return nil }
        var members: [String: [ConfigNode]] = [:]
        for group in root.first(where: { $0.key == key })?.value.entries ?? [] where !group.isNote {
            guard case .sequence(let nodes) = group.value.content else { continue }
            members[group.key] = nodes.filter { $0.singleText != nil }
        }
        var names: [String] = []
        if case .sequence(let elements) = root.first(where: { $0.key == list })?.value.content {
            names = elements.compactMap { $0.entries?.first { $0.key == "name" }?.value.singleText }
        }
        guard !members.isEmpty || !names.isEmpty else { return nil }
        self.members = members
        self.names = names
        self.nodesLeft = nodesLeft
    }

    /// The node with every name of a group replaced.
    mutating func expand(_ node: ConfigNode, _ schema: ConfigSchema) -> ConfigNode {
        if case .members(let form) = schema.shorthand { return self.expandNames(node, schema, form) }
        switch (schema.kind, node.content) {
        case (.object, .mapping(var entries)):
            for index in entries.indices where !entries[index].isNote {
                guard let field = schema.field(entries[index].key) else { continue }
                entries[index].value = self.expand(entries[index].value, field.schema)
            }
            return ConfigNode(.mapping(entries), at: node.location)
        case (.list(let element, _), .sequence(let elements)):
            return ConfigNode(.sequence(elements.map { self.expand($0, element) }), at: node.location)
        case (.map(_, let value), .mapping(var entries)):
            for index in entries.indices where !entries[index].isNote {
                entries[index].value = self.expand(entries[index].value, value)
            }
            return ConfigNode(.mapping(entries), at: node.location)
        case (.oneOf(let alternatives), _):
            return alternatives.filter { $0.shapes.contains(node.shape) }.reduce(node) { self.expand($0, $1) }
        default:
            return node
        }
    }

    private mutating func expandNames(_ node: ConfigNode, _ schema: ConfigSchema, _ form: GroupForm) -> ConfigNode {
        switch node.content {
        case .scalar:
            guard schema.shapes.contains(.sequence) else { return node }
            let nodes = self.members(node, form)
            // A value that stands for itself stays one.
            return nodes.count == 1 && nodes[0] == node ? node : ConfigNode(.sequence(nodes), at: node.location)
        case .sequence(let elements):
            var known: Set<String> = []
            // A name that several groups have is there once.
            let nodes = elements.flatMap { element in
                let isGroup = element.singleText.map { self.members[$0] != nil } ?? false
                let nodes = self.members(element, form)
                return isGroup || nodes.count > 1
                    ? nodes.filter { known.insert($0.singleText ?? "").inserted } : nodes
            }
            return ConfigNode(.sequence(nodes), at: node.location)
        case .mapping:
            return node
        }
    }

    /// The members that an element of a list stands for.
    private mutating func members(_ element: ConfigNode, _ form: GroupForm) -> [ConfigNode] {
        guard self.overflow == nil, let text = element.singleText else { return [element] }
        let nodes = self.named(self.members[text] ?? [element], form)
        guard nodes.count <= self.nodesLeft else {
            self.overflow = element.location
            return [element]
        }
        self.nodesLeft -= nodes.count
        return nodes
    }

    private func named(_ nodes: [ConfigNode], _ form: GroupForm) -> [ConfigNode] {
        guard form == .names else { return nodes }
        return nodes.flatMap { node in
            let glob = Glob(node.singleText ?? "")
            guard glob.hasWildcards else { return [node] }
            let names = self.names.filter(glob.matches)
            // A pattern that stands for no name stays, so that it is found to be wrong.
            return names.isEmpty ? [node] : names.map { node.named($0) }
        }
    }
}

extension ConfigType {
    /// The same type, in which a name may be that of a group: a list of names, or one or more of them.
    ///
    /// This is all that a key needs for it; its feature only ever sees names, or patterns, of single elements.
    package func namingGroups(_ form: GroupForm) -> ConfigType { self.shortened(.members(form)) }
}

extension ConfigNode {
    /// The text of a single value that could be read.
    fileprivate var singleText: String? {
        guard case .scalar(let scalar) = self.content, !scalar.isBroken, !scalar.isNull else { return nil }
        return scalar.text
    }

    /// A single value with another text at the same place.
    fileprivate func named(_ text: String) -> ConfigNode {
        ConfigNode(.scalar(ConfigScalar(text: text, style: .plain, isPlain: false)), at: self.location)
    }
}
