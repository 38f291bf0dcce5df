/// A notation with fewer words than a schema's kind has.
///
/// It is all gone when a file is checked: a list has every element that `for_each` makes, every element has what it takes from
/// the defaults, and names of groups are those of their members. See ``ShorthandExpander``.
package enum ConfigShorthand: Sendable, Equatable {
    /// A list of mappings: `for_each` in an element makes several of it, and what an element leaves out is taken from the mapping
    /// under a key of the root, unless that is nil.
    case elements(defaults: String?)
    /// The mapping from which the elements of the list at a path take what they leave out.
    case defaults(of: String)
    /// Groups of the elements of a list of the root, by name.
    case groups(of: String)
    /// A name, or a list of names, of which any may be that of a group.
    case members(GroupForm)
}

/// The result of naming a group.
package enum GroupForm: Sendable, Equatable {
    /// The members as the group has them, patterns among them: for what is matched while the gateway runs.
    case patterns
    /// The names that the members have or match, for what knows names only. Patterns that stand beside groups become names too.
    case names
}

extension ConfigSchema {
    /// A mapping with any of the keys of this one, none of them required: the defaults of a list's elements.
    /// - Parameter keys: those that tell elements apart, and so cannot be shared.
    package func defaults(without keys: Set<String>, of path: String) -> ConfigSchema {
        guard case .object(let fields) = self.kind else { return self }
        let shared = ConfigSchema.object(fields.filter { !keys.contains($0.name) })
        return shared.withoutRequiredKeys.shortened(.defaults(of: path))
    }

    /// The schema with nothing required and without defaults, but for elements of lists, which stand for themselves.
    var withoutRequiredKeys: ConfigSchema {
        switch self.kind {
        case .object(let fields):
            ConfigSchema(
                .object(
                    fields.map {
                        ConfigField(
                            $0.name, $0.schema.withoutRequiredKeys, .optional, $0.meaning, example: $0.example,
                            reload: $0.reload)
                    }), shorthand: self.shorthand)
        case .map(let key, let value):
            ConfigSchema(.map(key: key, value: value.withoutRequiredKeys), shorthand: self.shorthand)
        case .oneOf(let alternatives):
            ConfigSchema(.oneOf(alternatives.map(\.withoutRequiredKeys)), shorthand: self.shorthand)
        default: self
        }
    }

    /// The element of a list as a file may write it: with `for_each`.
    func elementAsWritten(_ element: ConfigSchema) -> ConfigSchema {
        guard case .elements = self.shorthand, case .object(let fields) = element.kind else { return element }
        return .object(fields + [ForEachExpander.field])
    }

    /// The element of a list without the need for what the defaults may have.
    func elementBesideDefaults(_ element: ConfigSchema) -> ConfigSchema {
        guard case .elements(.some) = self.shorthand, case .object(let fields) = element.kind else { return element }
        let written = fields.enumerated().map { index, field in
            // The first key is the name, which no default can have.
            guard index > 0, field.presence == .required else { return field }
            return ConfigField(
                field.name, field.schema, .optional, field.meaning, example: field.example, reload: field.reload)
        }
        return .object(written)
    }
}

extension ConfigType {
    /// The same type, whose values a file may write with fewer words.
    package func shortened(_ shorthand: ConfigShorthand) -> ConfigType {
        let own = self
        return ConfigType(
            schema: { own.schema($0).shortened(shorthand) }, text: own.text, read: own.read, compare: own.compare,
            check: own.check)
    }
}
