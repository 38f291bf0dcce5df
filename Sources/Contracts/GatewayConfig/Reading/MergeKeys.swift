/// The merge keys of one mapping: `<<` with a mapping, or a list of mappings, whose keys hold where the mapping has none of its own
/// (the merge type of YAML 1.1).
struct MergeKeys {
    /// The entries that are merged, in their order: of several of one key the first counts.
    private var merged: [ConfigEntry] = []
    private var first: ConfigLocation?

    /// True if a key is a merge key; one in quotes is a key like others.
    static func isOne(_ key: ConfigNode) -> Bool {
        guard case .scalar(let scalar) = key.content else { return false }
        return scalar.isPlain && scalar.text == "<<"
    }

    /// Takes over what a merge key names.
    mutating func add(_ value: ConfigNode, key: ConfigNode, problems: inout ConfigProblems) {
        if let first {
            problems.add(
                .duplicateKey, at: key.location, "key '<<' stands twice in the same mapping",
                hint: "write a list, as in '<<: [*one, *two]'; first at \(first)")
            return
        }
        self.first = key.location
        switch value.content {
        case .mapping(let entries):
            self.merged = entries
        case .sequence(let elements):
            for element in elements {
                if let entries = element.entries {
                    self.merged += entries
                } else {
                    Self.report(element, &problems)
                }
            }
        case .scalar:
            Self.report(value, &problems)
        }
    }

    /// Adds what is merged to the entries of the mapping itself.
    /// - Returns: what is merged nowhere, since its key is there.
    func complete(_ entries: inout [ConfigEntry]) -> [ConfigEntry] {
        guard !self.merged.isEmpty else { return [] }
        var keys = Set(entries.map(\.key))
        var dropped: [ConfigEntry] = []
        for entry in self.merged {
            if keys.insert(entry.key).inserted {
                entries.append(entry)
            } else {
                dropped.append(entry)
            }
        }
        return dropped
    }

    private static func report(_ node: ConfigNode, _ problems: inout ConfigProblems) {
        if case .scalar(let scalar) = node.content, scalar.isBroken { return }
        problems.add(
            .mergeKey, at: node.location, "what '<<' merges must be a mapping, not \(node.shapeName)",
            hint: "such as '<<: *name' for a mapping with the anchor '&name'")
    }
}
