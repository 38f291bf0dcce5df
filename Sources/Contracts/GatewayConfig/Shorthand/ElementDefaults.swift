/// The defaults of a list's elements: a mapping of the root that was checked on its own.
struct ElementDefaults {
    /// The values that elements take over; those that are wrong are marked, so that they are no further problem in each
    /// element.
    let entries: [ConfigEntry]

    /// Checks the mapping.
    /// - Parameters:
    ///   - node: what stands under the key.
    ///   - schema: what it may say: some keys of the elements.
    ///   - element: what an element may say.
    ///   - validator: takes over what is wrong, and where secrets stand.
    init(_ node: ConfigNode, key: String, schema: ConfigSchema, element: ConfigSchema, validator: inout ConfigValidator)
    {
        guard case .mapping(let entries) = node.content else {
            _ = validator.value(node, schema, path: key)
            self.entries = []
            return
        }
        let shared = Self.withoutNames(entries, key: key, schema, element, &validator.problems)
        let checked = validator.value(ConfigNode(.mapping(shared), at: node.location), schema, path: key).section
        for value in checked?.writtenValues ?? [] { Self.checkAddresses(value, key: key, &validator.problems) }
        self.entries = shared.compactMap { entry in
            guard !entry.isNote, let field = schema.field(entry.key) else { return nil }
            guard let value = checked?.value(field.name), !value.isSound else { return entry }
            let broken = ConfigScalar(text: "", style: .plain, isPlain: false, isBroken: true)
            return ConfigEntry(
                key: entry.key, keyLocation: entry.keyLocation,
                value: ConfigNode(.scalar(broken), at: entry.value.location))
        }
    }

    func complete(_ element: ConfigNode) -> ConfigNode {
        // One that says nothing is a mistake, and its place is where it stands.
        guard let own = element.entries, !own.isEmpty, !self.entries.isEmpty else { return element }
        return ConfigNode(.mapping(Self.merged(own, self.entries)), at: element.location)
    }

    /// Own entries with those that they leave out. Mappings merge key by key, everything else is replaced.
    private static func merged(_ own: [ConfigEntry], _ defaults: [ConfigEntry]) -> [ConfigEntry] {
        var result = own
        let positions = Dictionary(own.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        for entry in defaults where !entry.isNote {
            guard let index = positions[entry.key] else {
                result.append(entry)
                continue
            }
            guard case .mapping(let entries) = result[index].value.content, let others = entry.value.entries else {
                continue
            }
            result[index].value.content = .mapping(self.merged(entries, others))
        }
        return result
    }

    // MARK: What cannot be shared

    /// Reports keys that tell elements apart; returns the others.
    private static func withoutNames(
        _ entries: [ConfigEntry], key: String, _ schema: ConfigSchema, _ element: ConfigSchema,
        _ problems: inout ConfigProblems
    ) -> [ConfigEntry] {
        entries.filter { entry in
            let isName = schema.field(entry.key) == nil && element.field(entry.key) != nil
            guard isName || entry.key == ForEachExpander.key else { return true }
            problems.add(
                .notAllowed, at: entry.keyLocation,
                "'\(entry.key)' cannot stand in '\(key)': it is what tells elements apart",
                hint: "write it in each element; with 'for_each' it may have placeholders")
            return false
        }
    }

    /// Reports addresses that only one element can listen on.
    private static func checkAddresses(_ value: ConfigValue, key: String, _ problems: inout ConfigProblems) {
        if case .listenAddress(let address) = value.content, address.port != 0 {
            problems.add(
                .inconsistent, at: value.location,
                "only one element can listen on \(address), which '\(key)' gives to all",
                hint: "write port 0, or an address in each element: with 'for_each' such as \(address.host):{item+8100}"
            )
        }
        for inner in value.section?.writtenValues ?? [] { Self.checkAddresses(inner, key: key, &problems) }
    }
}

extension ConfigSchema {
    /// The field that a key of a mapping belongs to.
    func field(_ key: String) -> ConfigField? {
        guard case .object(let fields) = self.kind else { return nil }
        return fields.first { $0.keys.contains(key) }
    }
}

extension ConfigSection {
    /// The values that are written, in the order of the schema.
    fileprivate var writtenValues: [ConfigValue] {
        self.entries.map(\.value).filter { $0.origin != .default }
    }
}

extension ConfigValue {
    /// True if everything in the value could be read.
    fileprivate var isSound: Bool {
        switch self.content {
        case .invalid: false
        case .list(let elements): elements.allSatisfy(\.isSound)
        case .map(let entries): entries.allSatisfy(\.value.isSound)
        case .section(let section): section.entries.allSatisfy(\.value.isSound)
        default: true
        }
    }
}
