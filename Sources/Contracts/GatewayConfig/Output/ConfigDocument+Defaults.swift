extension ConfigDocument {
    /// Forgets defaults that mean nothing where they stand, so that what is printed says only what holds, and reads back.
    ///
    /// - Parameters:
    ///   - list: the key of the root whose elements are meant.
    ///   - keys: which keys have no meaning in an element: `model`, `volume.level`. What is written stays.
    package mutating func leaveOutDefaults(inEach list: String, _ keys: (_ element: ConfigSection) -> Set<String>) {
        self.root = self.root.mapping(list) { value in
            guard case .list(let elements) = value.content else { return value }
            let kept = elements.map { element -> ConfigValue in
                guard let section = element.section else { return element }
                return element.replacing(.section(section.leavingOutDefaults(keys(section))))
            }
            return value.replacing(.list(kept))
        }
    }
}

extension ConfigSection {
    /// The same without some keys that are not written.
    fileprivate func leavingOutDefaults(_ names: Set<String>) -> ConfigSection {
        let entries = self.entries.compactMap { entry -> Entry? in
            let name = entry.field.name
            if names.contains(name), entry.value.origin == .default { return nil }
            let inner = names.filter { $0.hasPrefix("\(name).") }.map { String($0.dropFirst(name.count + 1)) }
            guard !inner.isEmpty, let section = entry.value.section else { return entry }
            let kept = section.leavingOutDefaults(Set(inner))
            return Entry(field: entry.field, value: entry.value.replacing(.section(kept)))
        }
        return ConfigSection(path: self.path, location: self.location, entries: entries)
    }

    fileprivate func mapping(_ name: String, _ change: (ConfigValue) -> ConfigValue) -> ConfigSection {
        let entries = self.entries.map { entry in
            entry.field.name == name ? Entry(field: entry.field, value: change(entry.value)) : entry
        }
        return ConfigSection(path: self.path, location: self.location, entries: entries)
    }
}

extension ConfigValue {
    fileprivate func replacing(_ content: Content) -> ConfigValue {
        ConfigValue(content, origin: self.origin, location: self.location, node: self.node)
    }
}
