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
        for element in elements {
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

    /// Checks a mapping whose keys the operator chose.
    mutating func map(
        _ node: ConfigNode,
        _ entries: [ConfigEntry],
        key: ConfigSchema,
        value: ConfigSchema,
        path: String
    ) -> ConfigValue {
        var values: [ConfigValue.Entry] = []
        for entry in entries where !entry.isNote {
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
