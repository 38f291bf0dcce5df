extension ConfigSchema {
    /// A mapping of these keys and no others, in the order in which they are documented.
    public static func object(_ fields: [ConfigField]) -> ConfigSchema { ConfigSchema(.object(fields)) }

    /// A list; `uniqueKey` names the key that must differ from element to element.
    public static func list(of element: ConfigSchema, uniqueKey: String? = nil) -> ConfigSchema {
        ConfigSchema(.list(element, uniqueKey: uniqueKey))
    }

    /// A mapping whose keys the operator chooses.
    public static func map(key: ConfigSchema, value: ConfigSchema) -> ConfigSchema {
        ConfigSchema(.map(key: key, value: value))
    }

    /// A text of at least one and at most so many bytes, without control characters.
    ///
    /// - Parameters:
    ///   - pathPrefix: What stands before the path of a file, as `unix:` does in `unix:admin.sock`. The path of such a
    ///     text starts at the folder of the file that holds it, as a ``path`` does.
    ///   - isSecret: Whether the text is never shown. Read it with ``ConfigSection/optionalSecret(_:)`` or
    ///     ``ConfigValue/secret``.
    public static func text(
        maximumBytes: Int = 1024, pathPrefix: String? = nil, isSecret: Bool = false
    ) -> ConfigSchema {
        ConfigSchema(
            .text(
                ConfigTextRule(
                    allowed: nil, length: 1...maximumBytes, pathPrefix: pathPrefix, isSecret: isSecret)))
    }

    /// A text of certain ASCII characters, written as in a character class: `a-z0-9-`.
    public static func text(allowed: String, length: ClosedRange<Int>) -> ConfigSchema {
        ConfigSchema(.text(ConfigTextRule(allowed: allowed, length: length)))
    }

    /// One of the raw values of an enum.
    public static func word<Word>(_ words: Word.Type) -> ConfigSchema
    where Word: RawRepresentable<String> & CaseIterable {
        ConfigSchema(.word(words.allCases.map(\.rawValue)))
    }

    /// One of these words.
    public static func word(_ words: String...) -> ConfigSchema { ConfigSchema(.word(words)) }

    /// `true` or `false`.
    public static let boolean = ConfigSchema(.boolean)

    /// A whole number within a range.
    public static func integer(_ range: ClosedRange<Int>) -> ConfigSchema { ConfigSchema(.integer(range)) }

    /// A number within a range.
    public static func number(_ range: ClosedRange<Double>) -> ConfigSchema { ConfigSchema(.number(range)) }

    /// A time with its unit, from nothing to a year unless a range is given.
    public static func duration(_ range: ClosedRange<Duration> = .zero ... .seconds(31_536_000)) -> ConfigSchema {
        ConfigSchema(.duration(range))
    }

    /// A number of bytes with its unit.
    public static func size(_ range: ClosedRange<Int> = 0...Int.max) -> ConfigSchema { ConfigSchema(.size(range)) }

    /// `host:port` to listen on.
    public static let listenAddress = ConfigSchema(.listenAddress)

    /// `host` or `host:port` to connect to.
    public static func dialAddress(defaultPort: Int = DialAddress.castPort) -> ConfigSchema {
        ConfigSchema(.dialAddress(defaultPort: defaultPort))
    }

    /// A range of IP addresses.
    public static let addressRange = ConfigSchema(.addressRange)

    /// One namespace.
    public static let namespace = ConfigSchema(.namespace)

    /// One namespace, or all below a prefix.
    public static let namespacePattern = ConfigSchema(.namespacePattern)

    /// The id of a Cast app.
    public static let appID = ConfigSchema(.appID)

    /// A text with wildcards.
    public static let glob = ConfigSchema(.glob)

    /// The name of a file or folder; a relative one starts at the folder of the file that holds it.
    public static let path = ConfigSchema(.path)

    /// A UUID, read as lower case.
    public static let uuid = ConfigSchema(.uuid)

    /// A text that is never shown; the sibling `KEY_file` is accepted for it.
    public static let secret = ConfigSchema(.secret)

    /// The version of the file's format.
    public static func formatVersion(_ version: Int) -> ConfigSchema { ConfigSchema(.formatVersion(version)) }

    /// Anything that JSON can express.
    public static let json = ConfigSchema(.json)

    /// The first of these that fits the shape of the value.
    public static func oneOf(_ alternatives: ConfigSchema...) -> ConfigSchema { ConfigSchema(.oneOf(alternatives)) }

    /// An object with further keys at its end, so that several features can share one section; others stay as they are.
    public func adding(_ fields: ConfigField...) -> ConfigSchema {
        guard case .object(let own) = self.kind else { return self }
        return .object(own + fields)
    }
}
