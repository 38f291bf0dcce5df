extension ConfigValidator {
    /// Checks a mapping with known keys and fills in what is not written.
    mutating func object(
        _ node: ConfigNode,
        _ entries: [ConfigEntry],
        _ fields: [ConfigField],
        path: String
    ) -> ConfigValue {
        let start = path.isEmpty ? node.start : (node.start.line == 0 ? node.location : node.start)
        var written: [String: ConfigEntry] = [:]
        var suggested: [String] = []
        let keys = fields.flatMap(\.keys)
        for entry in entries where !entry.isNote {
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
            let hint = field.fileKey.map { "or '\($0)'" } ?? field.example.map { "for example: \(field.name): \($0)" }
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
        guard var node = self.parsedDefaults[text] ?? ConfigNode(yaml: text) else {
            return ConfigValue(.invalid, origin: .default, location: location)
        }
        self.parsedDefaults[text] = node
        // Problems between a default and a written value must point into the file that was written.
        node.relocate(to: location)
        var reader = self
        reader.isReadingDefaults = true
        let value = reader.value(node, schema, path: path)
        self.problems = reader.problems
        self.parsedDefaults = reader.parsedDefaults
        return value
    }

    /// What is looked for at the top level under words of other projects.
    private static let otherWords = [
        "devices": "real devices are found by 'discovery'; those at known addresses stand under 'discovery.static'",
        "handlers": "handlers of namespaces stand under 'channels' and 'plugins'",
        "receivers": "what senders see stands under 'virtual_devices'",
    ]

    /// Reports a key that does not exist here; returns the key that was probably meant.
    private mutating func reportUnknown(_ entry: ConfigEntry, _ keys: [String], path: String) -> String? {
        guard !self.problems.isFull else {
            self.problems.add(.unknownKey, at: entry.keyLocation, "unknown key '\(entry.key.shown)'")
            return nil
        }
        if EditDistance.suggestion(for: entry.key, among: self.secretKeys) != nil {
            self.secrets.append(entry.value.location)
        }
        let place = path.isEmpty ? "at the top level" : "in '\(path)'"
        let hint: String
        let suggestion = EditDistance.suggestion(for: entry.key, among: keys)
        if let suggestion {
            hint = "did you mean '\(suggestion)'?  (known: \(Self.listed(keys)))"
        } else if path.isEmpty, let words = Self.otherWords[entry.key] {
            hint = words
        } else if let homes = self.homes[entry.key] {
            hint = "'\(entry.key)' belongs \(String.alternatives(Array(homes.prefix(3))))"
        } else {
            hint = "known: \(Self.listed(keys))"
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
