/// The allowed values: the data from which values are checked, read, documented and described to editors.
///
/// A feature declares its keys beside the type that they configure, and the schema of its mapping follows from them: see
/// ``ConfigKey``. Schemas are written by hand only for what a key alone cannot express.
package struct ConfigSchema: Sendable {
    package indirect enum Kind: Sendable {
        /// A mapping of the keys listed here and no others.
        case object([ConfigField])
        /// A list; of mappings, when a key must differ from element to element.
        case list(ConfigSchema, uniqueKey: String?)
        /// A mapping whose keys the operator chooses.
        case map(key: ConfigSchema, value: ConfigSchema)
        /// A mapping whose keys the operator chooses, with keys of a meaning of their own beside them, all optional.
        case openObject([ConfigField], key: ConfigSchema, value: ConfigSchema)
        case text(ConfigTextRule)
        case word([String])
        case boolean
        case integer(ClosedRange<Int>)
        case number(ClosedRange<Double>)
        /// A time with its unit.
        case duration(ClosedRange<Duration>)
        /// A number of bytes with its unit.
        case size(ClosedRange<Int>)
        /// `host:port` to listen on.
        case listenAddress
        /// `host:port` to connect to, with the port that holds when none is written.
        case dialAddress(defaultPort: Int)
        /// A range of IP addresses.
        case addressRange
        /// `urn:x-cast:…`.
        case namespace
        /// `urn:x-cast:…`, possibly ending in `.*`.
        case namespacePattern
        /// The id of a Cast app.
        case appID
        /// The id of a Cast app, or one with `*` and `?`.
        case appIDPattern
        /// A text with `*` and `?`.
        case glob
        /// The name of a file or folder.
        case path
        case uuid
        /// A text that is never shown; `KEY_file` may name a file instead.
        case secret
        /// The version of the file's format: exactly this one.
        case formatVersion(Int)
        /// Anything that JSON can express.
        case json
        /// The first of these that fits the shape of the value.
        case oneOf([ConfigSchema])
    }

    package let kind: Kind
    /// The shorter notation; nil for most.
    package let shorthand: ConfigShorthand?
    /// For a list in which something has to stand, what to write instead of an empty one; nil for all others.
    let emptyHint: String?

    package init(_ kind: Kind, shorthand: ConfigShorthand? = nil) {
        self.init(kind, shorthand: shorthand, emptyHint: nil)
    }

    private init(_ kind: Kind, shorthand: ConfigShorthand?, emptyHint: String?) {
        self.kind = kind
        self.shorthand = shorthand
        self.emptyHint = emptyHint
    }

    /// The same schema, which a file may follow with fewer words.
    package func shortened(_ shorthand: ConfigShorthand) -> ConfigSchema {
        ConfigSchema(self.kind, shorthand: shorthand, emptyHint: self.emptyHint)
    }

    /// The advice instead of an empty list that says who or what is meant.
    package static let emptyHint = "leave the key out where all are meant"

    /// The same schema, by which a list has at least one element.
    /// - Parameter hint: what to write instead of an empty one, for people.
    package func notEmpty(_ hint: String) -> ConfigSchema {
        switch self.kind {
        case .list: ConfigSchema(self.kind, shorthand: self.shorthand, emptyHint: hint)
        case .oneOf(let alternatives):
            ConfigSchema(.oneOf(alternatives.map { $0.notEmpty(hint) }), shorthand: self.shorthand)
        default: self
        }
    }
}

/// One key of an object: its name, what it may be, and what people and editors are told about it.
package struct ConfigField: Sendable {
    /// The value of a key that is not written.
    package enum Presence: Sendable, Equatable {
        case required
        case optional
        /// The value as YAML text.
        case defaultsTo(String)
        /// The value is that of another key of the same object.
        case sameAs(String)
    }

    package let name: String
    package let schema: ConfigSchema
    package let presence: Presence
    /// The meaning, in one or two sentences without a full stop at the end.
    package let meaning: String
    /// A value as it would be written.
    package let example: String?
    /// The effect of a change on a running gateway; nil leaves it to the mapping around the field.
    package let reload: ReloadClass?

    package init(
        _ name: String,
        _ schema: ConfigSchema,
        _ presence: Presence,
        _ meaning: String,
        example: String? = nil,
        reload: ReloadClass? = nil
    ) {
        self.name = name
        self.schema = schema
        self.presence = presence
        self.meaning = meaning
        self.example = example
        self.reload = reload
    }

    /// The key that names a file with the secret; nil unless the field is a secret.
    var fileKey: String? {
        if case .secret = self.schema.kind { self.name + "_file" } else { nil }
    }

    /// The keys by which the field may be written.
    var keys: [String] {
        [self.name] + (self.fileKey.map { [$0] } ?? [])
    }
}

extension ConfigSchema {
    /// A mapping of these keys and no others, in the order in which they are documented.
    package static func object(_ fields: [ConfigField]) -> ConfigSchema { ConfigSchema(.object(fields)) }

    /// A mapping of the keys that a type declares.
    package static func object<Object: ConfigObject>(of type: Object.Type) -> ConfigSchema {
        let defaults = Object(blank: ConfigBlank())
        return .object(type.keys.map { $0.field(defaults: defaults) })
    }

    /// A list; `uniqueKey` names the key that must differ from element to element.
    package static func list(of element: ConfigSchema, uniqueKey: String? = nil) -> ConfigSchema {
        ConfigSchema(.list(element, uniqueKey: uniqueKey))
    }

    /// A mapping whose keys the operator chooses.
    package static func map(key: ConfigSchema, value: ConfigSchema) -> ConfigSchema {
        ConfigSchema(.map(key: key, value: value))
    }

    /// A mapping whose keys the operator chooses, with keys of a meaning of their own beside them.
    ///
    /// It is read as a mapping with chosen keys: see ``ConfigValue/map``. A key that looks like a slip of one of the fields is
    /// refused, so the keys that operators choose should not resemble them.
    /// - Parameter fields: the keys with a meaning of their own; all of them optional.
    package static func openObject(_ fields: [ConfigField], key: ConfigSchema, value: ConfigSchema) -> ConfigSchema {
        ConfigSchema(.openObject(fields, key: key, value: value))
    }

    /// A text of at least one and at most so many bytes, without control characters.
    ///
    /// - Parameters:
    ///   - pathPrefix: What stands before the path of a file, as `unix:` does in `unix:admin.sock`. The path of such a
    ///     text starts at the folder of the file that holds it, as a ``path`` does.
    ///   - isSecret: Whether the text is never shown. Read it with ``ConfigSection/optionalSecret(_:)`` or
    ///     ``ConfigValue/secret``.
    package static func text(
        maximumBytes: Int = 1024, pathPrefix: String? = nil, isSecret: Bool = false
    ) -> ConfigSchema {
        ConfigSchema(
            .text(
                ConfigTextRule(
                    allowed: nil, length: 1...maximumBytes, pathPrefix: pathPrefix, isSecret: isSecret)))
    }

    /// A text of certain ASCII characters, written as in a character class: `a-z0-9-`.
    package static func text(allowed: String, length: ClosedRange<Int>) -> ConfigSchema {
        ConfigSchema(.text(ConfigTextRule(allowed: allowed, length: length)))
    }

    package static func word<Word>(_ words: Word.Type) -> ConfigSchema
    where Word: RawRepresentable<String> & CaseIterable {
        ConfigSchema(.word(words.allCases.map(\.rawValue)))
    }

    package static func word(_ words: String...) -> ConfigSchema { ConfigSchema(.word(words)) }

    package static let boolean = ConfigSchema(.boolean)

    package static func integer(_ range: ClosedRange<Int>) -> ConfigSchema { ConfigSchema(.integer(range)) }

    package static func number(_ range: ClosedRange<Double>) -> ConfigSchema { ConfigSchema(.number(range)) }

    /// A time with its unit, from nothing to a year unless a range is given.
    package static func duration(_ range: ClosedRange<Duration> = .zero ... .seconds(31_536_000)) -> ConfigSchema {
        ConfigSchema(.duration(range))
    }

    /// A number of bytes with its unit.
    package static func size(_ range: ClosedRange<Int> = 0...Int.max) -> ConfigSchema { ConfigSchema(.size(range)) }

    package static let listenAddress = ConfigSchema(.listenAddress)

    package static func dialAddress(defaultPort: Int = DialAddress.castPort) -> ConfigSchema {
        ConfigSchema(.dialAddress(defaultPort: defaultPort))
    }

    package static let addressRange = ConfigSchema(.addressRange)

    package static let namespace = ConfigSchema(.namespace)

    /// One namespace, or all below a prefix.
    package static let namespacePattern = ConfigSchema(.namespacePattern)

    package static let appID = ConfigSchema(.appID)

    /// The id of a Cast app, or one with wildcards.
    package static let appIDPattern = ConfigSchema(.appIDPattern)

    package static let glob = ConfigSchema(.glob)

    /// The name of a file or folder; a relative one starts at the folder of the file that holds it.
    package static let path = ConfigSchema(.path)

    package static let uuid = ConfigSchema(.uuid)

    /// A text that is never shown; the sibling `KEY_file` is accepted for it.
    package static let secret = ConfigSchema(.secret)

    package static func formatVersion(_ version: Int) -> ConfigSchema { ConfigSchema(.formatVersion(version)) }

    package static let json = ConfigSchema(.json)

    /// The first of these that fits the shape of the value.
    package static func oneOf(_ alternatives: ConfigSchema...) -> ConfigSchema { ConfigSchema(.oneOf(alternatives)) }
}
