package import CastWire

/// The type of a key's value: which texts and shapes a file may have for it, and which Swift value comes of them.
///
/// A type couples a ``ConfigSchema``, by which the file is checked, with the way a checked value is read and printed, so that a
/// key cannot be declared with a schema that its property does not fit. Types compose: `.list(of: .appID)`,
/// `.map(key: .appID, value: .object)`. One of a feature's own is made from another by ``converted(_:_:)`` or
/// ``init(_:text:read:)``.
package struct ConfigType<Value: Sendable & Equatable>: Sendable {
    /// Makes the schema for a file, given the value that holds where nothing is written; nil where there is no such
    /// value.
    let schema: @Sendable (_ defaults: Value?) -> ConfigSchema
    let text: @Sendable (Value) -> String
    /// The Swift value of a checked one, given the value that held so far; nil when it is of another type.
    let read: @Sendable (ConfigValue, Value?) -> Value?
    /// Adds what differs between two values.
    let compare: @Sendable (Value, Value, inout ReloadDifference) -> Void
    /// Adds what is wrong between the values of mappings below.
    let check: @Sendable (ConfigValue, inout ConfigProblems) -> Void

    init(
        schema: @escaping @Sendable (_ defaults: Value?) -> ConfigSchema, text: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (ConfigValue, Value?) -> Value?,
        compare: @escaping @Sendable (Value, Value, inout ReloadDifference) -> Void = { old, new, difference in
            if old != new { difference.addChange() }
        }, check: @escaping @Sendable (ConfigValue, inout ConfigProblems) -> Void = { _, _ in }
    ) {
        self.schema = schema
        self.text = text
        self.read = read
        self.compare = compare
        self.check = check
    }

    /// Makes a type of a feature's own.
    /// - Parameters:
    ///   - schema: what a file may say.
    ///   - text: a value as the file would say it, in one line of YAML; asked for defaults only.
    ///   - read: the value of a checked one; nil when it is of another type.
    package init(
        _ schema: ConfigSchema, text: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (ConfigValue) -> Value?
    ) {
        self.init(schema: { _ in schema }, text: text, read: { value, _ in read(value) })
    }

    /// A type whose values are made from those of this one.
    /// - Parameters:
    ///   - read: the other value; nil when there is none, in which case the property keeps its initial value.
    ///   - write: the value of this type that stands for another, for printing defaults.
    package func converted<Other>(
        _ read: @escaping @Sendable (Value) -> Other?, _ write: @escaping @Sendable (Other) -> Value
    ) -> ConfigType<Other> {
        let own = self
        return ConfigType<Other>(
            schema: { own.schema($0.map(write)) }, text: { own.text(write($0)) },
            read: { value, _ in own.read(value, nil).flatMap(read) }, check: own.check)
    }

    /// The same type for a property that is nil without the key.
    var orNil: ConfigType<Value?> {
        let own = self
        return ConfigType<Value?>(
            schema: { _ in own.schema(nil) }, text: { $0.map(own.text) ?? "null" },
            read: { value, current in own.read(value, current ?? nil).map { .some($0) } }, check: own.check)
    }
}

// MARK: Single values

extension ConfigType where Value == Bool {
    package static var boolean: ConfigType {
        ConfigType(.boolean, text: { $0 ? "true" : "false" }) {
            if case .boolean(let value) = $0.content { value } else { nil }
        }
    }
}

extension ConfigType where Value == Int {
    package static func integer(_ range: ClosedRange<Int>) -> ConfigType {
        ConfigType(.integer(range), text: { String($0) }) {
            if case .integer(let value) = $0.content { value } else { nil }
        }
    }

    /// A number of bytes with its unit.
    package static func size(_ range: ClosedRange<Int> = 0...Int.max) -> ConfigType {
        ConfigType(.size(range), text: { ByteSize.text($0) }) {
            if case .size(let value) = $0.content { value } else { nil }
        }
    }
}

extension ConfigType where Value == Int? {
    /// A whole number within a range, or the word that stands for none.
    package static func integer(_ range: ClosedRange<Int>, orNil word: String) -> ConfigType {
        ConfigType(.oneOf(.integer(range), .word(word)), text: { $0.map { String($0) } ?? word }) {
            switch $0.content {
            case .integer(let value): .some(.some(value))
            case .string: .some(.none)
            default: nil
            }
        }
    }
}

extension ConfigType where Value == Double {
    package static func number(_ range: ClosedRange<Double>) -> ConfigType {
        ConfigType(.number(range), text: { $0.configText }) {
            if case .number(let value) = $0.content { value } else { nil }
        }
    }
}

extension ConfigType where Value == Duration {
    /// A time with its unit, from nothing to a year unless a range is given.
    package static func duration(_ range: ClosedRange<Duration> = .zero ... .seconds(31_536_000)) -> ConfigType {
        ConfigType(.duration(range), text: { $0.configText }) {
            if case .duration(let value) = $0.content { value } else { nil }
        }
    }
}

extension ConfigType where Value == String {
    package static func string(_ schema: ConfigSchema) -> ConfigType {
        ConfigType(schema, text: { ConfigPrinter.scalar($0) }, read: \.string)
    }

    /// A text of at least one and at most so many bytes, without control characters.
    /// - Parameter pathPrefix: what stands before the path of a file, as `unix:` does in `unix:admin.sock`.
    package static func text(maximumBytes: Int = 1024, pathPrefix: String? = nil) -> ConfigType {
        .string(.text(maximumBytes: maximumBytes, pathPrefix: pathPrefix))
    }

    /// A text of certain ASCII characters, written as in a character class: `a-z0-9-`.
    package static func text(allowed: String, length: ClosedRange<Int>) -> ConfigType {
        .string(.text(allowed: allowed, length: length))
    }

    /// The name of a file or folder; a relative one starts at the folder of the file that holds it.
    package static var path: ConfigType { .string(.path) }
    package static var appID: ConfigType { .string(.appID) }
    package static var namespace: ConfigType { .string(.namespace) }
    /// One namespace, or all below a prefix.
    package static var namespacePattern: ConfigType { .string(.namespacePattern) }
    /// A text with wildcards, as it is written.
    package static var glob: ConfigType { .string(.glob) }
}

extension ConfigType where Value == Glob {
    package static var glob: ConfigType { ConfigType<String>.glob.converted({ Glob($0) }, \.pattern) }

    /// A text with wildcards of at most so many bytes, without control characters.
    package static func glob(maximumBytes: Int) -> ConfigType {
        ConfigType<String>.text(maximumBytes: maximumBytes).converted({ Glob($0) }, \.pattern)
    }

    /// The id of a Cast app, or one with wildcards.
    package static var appIDPattern: ConfigType {
        ConfigType<String>.string(.appIDPattern).converted({ Glob($0) }, \.pattern)
    }
}

extension ConfigType where Value == JSONValue {
    package static var json: ConfigType<JSONValue> {
        ConfigType(.json, text: { $0.text(indented: false) }) {
            if case .json(let value) = $0.content { value } else { nil }
        }
    }
}

extension ConfigType where Value == Secret {
    /// A text that is never shown; the sibling `KEY_file` is accepted for it.
    package static var secret: ConfigType { ConfigType(.secret, text: { _ in Secret.redacted }, read: \.secret) }

    /// A text that is never shown, and cannot be given as a file.
    package static func hiddenText(maximumBytes: Int) -> ConfigType {
        ConfigType(
            .text(maximumBytes: maximumBytes, isSecret: true), text: { _ in Secret.redacted }, read: \.secret)
    }
}

extension ConfigType where Value == ListenAddress {
    package static var listenAddress: ConfigType {
        ConfigType(.listenAddress, text: { ConfigPrinter.scalar($0.description) }) {
            if case .listenAddress(let value) = $0.content { value } else { nil }
        }
    }
}

extension ConfigType where Value == DialAddress {
    package static func dialAddress(defaultPort: Int = DialAddress.castPort) -> ConfigType {
        ConfigType(.dialAddress(defaultPort: defaultPort), text: { ConfigPrinter.scalar($0.description) }) {
            if case .dialAddress(let value) = $0.content { value } else { nil }
        }
    }
}

extension ConfigType where Value == AddressRange {
    package static var addressRange: ConfigType {
        ConfigType(.addressRange, text: { ConfigPrinter.scalar($0.description) }, read: \.addressRange)
    }
}

extension ConfigType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    package static var word: ConfigType {
        ConfigType(.word(Value.self), text: { $0.rawValue }) { $0.string.flatMap(Value.init(rawValue:)) }
    }
}

// MARK: Mappings and lists

extension ConfigType where Value: ConfigObject {
    /// A mapping with the keys of a type. Keys that are not written keep what the property had, defaults included.
    package static var object: ConfigType {
        ConfigType(
            schema: { defaults in
                .object(Value.keys.map { $0.field(defaults: defaults ?? Value(blank: ConfigBlank())) })
            },
            text: { _ in "{}" },
            read: { value, current in
                value.section.map { section in
                    var object = current ?? Value(blank: ConfigBlank())
                    object.read(section)
                    return object
                }
            },
            compare: { old, new, difference in
                for key in Value.keys { key.compare(old, new, &difference) }
            },
            check: { value, problems in
                if let section = value.section { Value.checkAll(section, problems: &problems) }
            })
    }
}

extension ConfigType {
    /// A list; of mappings, when `uniqueKey` names the key that must differ from element to element. A change of any element is
    /// a change of the whole list.
    package static func list<Element>(of element: ConfigType<Element>, uniqueKey: String? = nil) -> ConfigType
    where Value == [Element] {
        ConfigType(
            schema: { _ in .list(of: element.schema(nil), uniqueKey: uniqueKey) },
            text: { "[\($0.map(element.text).joined(separator: ", "))]" },
            read: { value, _ in value.list?.compactMap { element.read($0, nil) } },
            check: { value, problems in
                for item in value.list ?? [] { element.check(item, &problems) }
            })
    }

    /// One value, or a list of them; both are read as a list.
    package static func oneOrMore<Element>(of element: ConfigType<Element>) -> ConfigType where Value == [Element] {
        let list = ConfigType.list(of: element)
        return ConfigType(
            schema: { _ in .oneOf(element.schema(nil), list.schema(nil)) }, text: list.text,
            read: { value, current in
                value.list == nil ? element.read(value, nil).map { [$0] } : list.read(value, current)
            },
            check: { value, problems in
                if value.list == nil { element.check(value, &problems) } else { list.check(value, &problems) }
            })
    }

    /// The same list, in which something has to stand where it is written.
    /// - Parameter hint: what to write instead of an empty one, for people.
    package func notEmpty(_ hint: String = ConfigSchema.emptyHint) -> ConfigType {
        let own = self
        return ConfigType(
            schema: { own.schema($0).notEmpty(hint) }, text: own.text, read: own.read, compare: own.compare,
            check: own.check)
    }

    /// A list of mappings that a reload tells apart by their names: elements come, go, or change in some keys.
    /// - Parameters:
    ///   - key: the key of the name, which must differ from element to element.
    ///   - orderMatters: whether another order of the same elements is a change.
    package static func list<Element: ConfigObject>(
        of element: ConfigType<Element>, namedBy key: String, _ name: any KeyPath<Element, String> & Sendable,
        orderMatters: Bool = false
    ) -> ConfigType where Value == [Element] {
        let list = ConfigType.list(of: element, uniqueKey: key)
        return ConfigType(
            schema: list.schema, text: list.text, read: list.read,
            compare: { old, new, difference in
                let before = Dictionary(old.map { ($0[keyPath: name], $0) }, uniquingKeysWith: { first, _ in first })
                for value in new {
                    difference.within(value[keyPath: name]) {
                        if let other = before[value[keyPath: name]] {
                            element.compare(other, value, &$0)
                        } else {
                            $0.addChange(note: "added")
                        }
                    }
                }
                let names = new.map { $0[keyPath: name] }
                let kept = Set(names)
                for value in old where !kept.contains(value[keyPath: name]) {
                    difference.within(value[keyPath: name]) { $0.addChange(note: "removed") }
                }
                let formerNames = old.map { $0[keyPath: name] }
                if orderMatters, names != formerNames, Set(formerNames) == kept {
                    difference.addChange(note: "another order")
                }
            }, check: list.check)
    }

    /// A mapping whose keys the operator chooses, in the order of the file.
    package static func entries<Element>(key: ConfigType<String>, value: ConfigType<Element>) -> ConfigType
    where Value == [ConfigMapEntry<Element>] {
        ConfigType(
            schema: { _ in .map(key: key.schema(nil), value: value.schema(nil)) }, text: { _ in "{}" },
            read: { checked, _ in
                checked.map?.compactMap { entry in
                    value.read(entry.value, nil).map { ConfigMapEntry(key: entry.key, value: $0) }
                }
            },
            check: { checked, problems in
                for entry in checked.map ?? [] { value.check(entry.value, &problems) }
            })
    }

    /// A mapping whose keys the operator chooses.
    package static func map<Element>(key: ConfigType<String>, value: ConfigType<Element>) -> ConfigType
    where Value == [String: Element] {
        ConfigType<[ConfigMapEntry<Element>]>.entries(key: key, value: value).converted(
            { Dictionary($0.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }) },
            { $0.map { ConfigMapEntry(key: $0.key, value: $0.value) } })
    }
}

/// One entry of a mapping whose keys the operator chose.
package struct ConfigMapEntry<Value: Sendable & Equatable>: Sendable, Equatable {
    package var key: String
    package var value: Value

    package init(key: String, value: Value) {
        self.key = key
        self.value = value
    }
}
