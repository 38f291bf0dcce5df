/// Lays the trees of several files over one another without letting any of them win silently.
struct ConfigMerger {
    /// What is wrong so far.
    var problems: ConfigProblems
    /// What was left out.
    var droppedValues: [DroppedValue] = []

    /// Adds the entries of a later file to those of earlier ones.
    ///
    /// Mappings merge, lists of mappings are appended; anything else that both files set is a problem that names both places.
    mutating func merge(_ later: [ConfigEntry], into earlier: inout [ConfigEntry], path: String = "") {
        var positions: [String: Int] = [:]
        for (index, entry) in earlier.enumerated() { positions[entry.key] = index }
        for entry in later {
            let path = path.isEmpty ? entry.key : "\(path).\(entry.key)"
            guard let index = positions[entry.key] else {
                positions[entry.key] = earlier.count
                earlier.append(entry)
                continue
            }
            if entry.isNote { continue }
            switch (earlier[index].value.content, entry.value.content) {
            case (.mapping(var entries), .mapping(let others)):
                self.merge(others, into: &entries, path: path)
                earlier[index].value.content = .mapping(entries)
            case (.sequence(let elements), .sequence(let others)) where Self.canAppend(elements, others):
                earlier[index].value.content = .sequence(elements + others)
            default:
                self.droppedValues.append(
                    DroppedValue(entry.value, keys: path.split(separator: ".").map(String.init)))
                self.problems.add(
                    .setInTwoFiles,
                    at: entry.keyLocation,
                    "'\(path.shown)' is set here and at \(earlier[index].keyLocation)",
                    hint: "keep it in one file"
                )
            }
        }
    }

    private static func canAppend(_ elements: [ConfigNode], _ others: [ConfigNode]) -> Bool {
        (elements + others).allSatisfy { $0.entries != nil }
    }
}
