extension ConfigNode {
    /// The node as JSON; plain scalars are typed by the core schema of YAML 1.2.
    var json: ConfigJSON {
        switch self.content {
        case .sequence(let elements):
            return .array(elements.map(\.json))
        case .mapping(let entries):
            return .object(entries.map { .init($0.key, $0.value.json) })
        case .scalar(let scalar):
            guard scalar.isPlain, !scalar.isBroken else { return .string(scalar.text) }
            if scalar.isNull { return .null }
            if scalar.text == "true" || scalar.text == "false" { return .boolean(scalar.text == "true") }
            if let number = CoreSchemaNumber.integer(scalar.text) { return .integer(number) }
            if let number = CoreSchemaNumber.number(scalar.text) { return .number(number) }
            return .string(scalar.text)
        }
    }

    /// Reads YAML text that Castway itself contains: a default or an example; nil when it is not YAML.
    init?(yaml text: String) {
        var nodes = ConfigTreeBuilder.nodeLimit
        var dropped: [DroppedValue] = []
        var problems = ConfigProblems()
        let bytes = Array(text.utf8)
        let source = ConfigSource(file: "default", bytes: bytes)
        let tree = ConfigTreeBuilder.tree(
            bytes, source: source, nodesLeft: &nodes, problems: &problems, droppedValues: &dropped)
        guard let tree, problems.all.isEmpty else { return nil }
        self = tree
    }
}
