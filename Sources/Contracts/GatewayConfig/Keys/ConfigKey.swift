/// The property that holds the value of a key: `\.drain`.
package typealias ConfigProperty<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

/// The declaration of one key: its name, the property that holds it, the type of its value, and what people are told of it.
///
/// How it works: the key path and the ``ConfigType`` are closed over by four functions (describe, read, compare, check), so
/// that keys of different value types stand in one list. The default is never written here: it is printed from the value that
/// the property has before anything is read.
///
/// There are four kinds. ``init(_:_:_:sameAs:_:example:reload:)`` declares a key with a default, ``required(_:_:_:_:example:reload:)``
/// one that must be written, ``optional(_:_:_:_:example:reload:)`` one whose property is nil without it, and
/// ``section(_:_:reload:_:)`` a mapping whose keys are properties of the same type. What none of them can express is declared
/// by ``custom(_:_:_:_:example:reload:isSame:read:)``.
package struct ConfigKey<Root: Sendable>: Sendable {
    private let describe: @Sendable (Root?) -> ConfigField
    private let take: @Sendable (ConfigSection, inout Root) -> Void
    private let compareValues: @Sendable (Root, Root, inout ReloadDifference) -> Void
    private let checkValue: @Sendable (ConfigSection, inout ConfigProblems) -> Void

    private init(
        describe: @escaping @Sendable (Root?) -> ConfigField,
        take: @escaping @Sendable (ConfigSection, inout Root) -> Void,
        compare: @escaping @Sendable (Root, Root, inout ReloadDifference) -> Void,
        check: @escaping @Sendable (ConfigSection, inout ConfigProblems) -> Void = { _, _ in }
    ) {
        self.describe = describe
        self.take = take
        self.compareValues = compare
        self.checkValue = check
    }

    // MARK: Declaring

    /// A key with a default, which is the property's initial value.
    /// - Parameters:
    ///   - other: Another key of the mapping, before this one, whose value is this one's default.
    ///   - meaning: What the key means, in one or two sentences without a full stop at the end.
    ///   - example: A value as it would be written.
    ///   - reload: What a change does to a running gateway; nil leaves it to the mapping around the key.
    package init<Value>(
        _ name: String, _ path: ConfigProperty<Root, Value>, _ type: ConfigType<Value>,
        sameAs other: String? = nil, _ meaning: String, example: String? = nil, reload: ReloadClass? = nil
    ) {
        self.init(
            name, path, type, meaning, example, reload,
            presence: { value in
                if let other { return .sameAs(other) }
                return value.map { .defaultsTo(type.text($0)) } ?? .optional
            })
    }

    /// A key that must be written; the property has something empty until it is read.
    package static func required<Value>(
        _ name: String, _ path: ConfigProperty<Root, Value>, _ type: ConfigType<Value>,
        _ meaning: String, example: String? = nil, reload: ReloadClass? = nil
    ) -> ConfigKey {
        ConfigKey(name, path, type, meaning, example, reload, presence: { _ in .required })
    }

    /// A key without which the property is nil.
    package static func optional<Value>(
        _ name: String, _ path: ConfigProperty<Root, Value?>, _ type: ConfigType<Value>,
        _ meaning: String, example: String? = nil, reload: ReloadClass? = nil
    ) -> ConfigKey {
        ConfigKey(name, path, type.orNil, meaning, example, reload, presence: { _ in .optional })
    }

    /// A list of the things that are meant: all of them without the key, when the property is empty, and never an empty list.
    /// - Parameter hint: what to write instead of an empty list, for people.
    package static func selection<Element>(
        _ name: String, _ path: ConfigProperty<Root, [Element]>, _ type: ConfigType<[Element]>, _ meaning: String,
        example: String? = nil, reload: ReloadClass? = nil, hint: String = ConfigSchema.emptyHint
    ) -> ConfigKey {
        ConfigKey(name, path, type.notEmpty(hint), meaning, example, reload, presence: { _ in .optional })
    }

    /// A mapping whose keys are properties of the same type as those around it.
    package static func section(
        _ name: String, _ meaning: String, reload: ReloadClass? = nil, _ keys: [ConfigKey]
    ) -> ConfigKey {
        ConfigKey(
            describe: { defaults in
                ConfigField(
                    name, .object(keys.map { $0.field(defaults: defaults) }),
                    defaults == nil ? .optional : .defaultsTo("{}"), meaning, reload: reload)
            },
            take: { section, root in
                let inner = section.section(name)
                for key in keys { key.read(inner, into: &root) }
            },
            compare: { old, new, difference in
                difference.within(name, reload: reload) { inner in
                    for key in keys { key.compare(old, new, &inner) }
                }
            },
            check: { section, problems in
                let inner = section.section(name)
                for key in keys { key.check(inner, problems: &problems) }
            })
    }

    /// A key that is checked, and read by nothing: the version of a format, for example.
    package static func unread(
        _ name: String, _ schema: ConfigSchema, _ presence: ConfigField.Presence, _ meaning: String,
        example: String? = nil, reload: ReloadClass? = nil
    ) -> ConfigKey {
        let field = ConfigField(name, schema, presence, meaning, example: example, reload: reload)
        return ConfigKey(describe: { _ in field }, take: { _, _ in }, compare: { _, _, _ in })
    }

    /// A key that is read in a way of its own, since its meaning depends on other keys, or it sets several properties.
    /// - Parameters:
    ///   - isSame: whether a reload has nothing to do for it.
    ///   - read: takes the value over; not called when there is none.
    package static func custom(
        _ name: String, _ schema: ConfigSchema, _ presence: ConfigField.Presence, _ meaning: String,
        example: String? = nil, reload: ReloadClass? = nil,
        isSame: @escaping @Sendable (Root, Root) -> Bool,
        read: @escaping @Sendable (ConfigValue, inout Root) -> Void
    ) -> ConfigKey {
        let field = ConfigField(name, schema, presence, meaning, example: example, reload: reload)
        return ConfigKey(
            describe: { _ in field },
            take: { section, root in
                if let value = section.value(name), value.isValid { read(value, &root) }
            },
            compare: { old, new, difference in
                guard !isSame(old, new) else { return }
                difference.within(name, reload: reload) { $0.addChange() }
            })
    }

    private init<Value>(
        _ name: String, _ path: ConfigProperty<Root, Value>, _ type: ConfigType<Value>, _ meaning: String,
        _ example: String?, _ reload: ReloadClass?, presence: @escaping @Sendable (Value?) -> ConfigField.Presence
    ) {
        self.init(
            describe: { defaults in
                let value = defaults?[keyPath: path]
                return ConfigField(
                    name, type.schema(value), presence(value), meaning, example: example, reload: reload)
            },
            take: { section, root in
                guard let value = section.value(name), value.isValid else { return }
                if let typed = type.read(value, root[keyPath: path]) { root[keyPath: path] = typed }
            },
            compare: { old, new, difference in
                difference.within(name, reload: reload) { type.compare(old[keyPath: path], new[keyPath: path], &$0) }
            },
            check: { section, problems in
                if let value = section.value(name) { type.check(value, &problems) }
            })
    }

    // MARK: Changing

    /// The key with a note of a change that the value itself does not show, such as another version of what it names.
    /// - Parameter note: what there is to say when the values are the same; nil for nothing.
    package func noting(_ note: @escaping @Sendable (Root, Root) -> String?) -> ConfigKey {
        let (compare, name) = (self.compareValues, self.describe(nil))
        return ConfigKey(
            describe: self.describe, take: self.take,
            compare: { old, new, difference in
                let before = difference.changes.count
                compare(old, new, &difference)
                guard difference.changes.count == before, let note = note(old, new) else { return }
                difference.within(name.name, reload: name.reload) { $0.addChange(note: note) }
            }, check: self.checkValue)
    }

    /// The key as one of a type that has this one's type as a property: its keys stand beside those of the outer type.
    /// - Parameter asOverride: whether the key has no default there, since what is not written is taken from elsewhere.
    func embedded<Outer>(
        in path: ConfigProperty<Outer, Root>, asOverride: Bool
    ) -> ConfigKey<Outer> {
        let (describe, take, compare, check) = (self.describe, self.take, self.compareValues, self.checkValue)
        return ConfigKey<Outer>(
            describe: { describe(asOverride ? nil : $0?[keyPath: path]) },
            take: { take($0, &$1[keyPath: path]) },
            compare: { compare($0[keyPath: path], $1[keyPath: path], &$2) }, check: check)
    }

    // MARK: What follows from it

    package var name: String { self.describe(nil).name }

    /// The key as the schema has it.
    /// - Parameter defaults: the object whose properties are the defaults; nil when the key has none.
    func field(defaults: Root?) -> ConfigField { self.describe(defaults) }

    /// Takes over the value that a checked mapping has.
    func read(_ section: ConfigSection, into root: inout Root) { self.take(section, &root) }

    /// Adds the key when the two objects differ in it.
    func compare(_ old: Root, _ new: Root, _ difference: inout ReloadDifference) {
        self.compareValues(old, new, &difference)
    }

    /// Adds what is wrong between values below the key.
    func check(_ section: ConfigSection, problems: inout ConfigProblems) { self.checkValue(section, &problems) }
}

extension Array {
    /// Keys of a type as keys of another one, which has that type as a property: they stand beside its own.
    /// - Parameter asOverrides: whether they have no defaults there, since what is not written is taken from elsewhere.
    package func embedded<Root, Outer>(
        in path: ConfigProperty<Outer, Root>, asOverrides: Bool = false
    ) -> [ConfigKey<Outer>] where Element == ConfigKey<Root> {
        self.map { $0.embedded(in: path, asOverride: asOverrides) }
    }
}
