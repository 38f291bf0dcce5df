/// What a value may be: the data from which values are checked, read, documented and described to editors.
///
/// A feature writes its keys once, as a schema beside the type that they configure; see ``ConfigField``.
public struct ConfigSchema: Sendable {
    /// The kinds of value.
    public indirect enum Kind: Sendable {
        /// A mapping of the keys listed here and no others.
        case object([ConfigField])
        /// A list; of mappings, when a key must differ from element to element.
        case list(ConfigSchema, uniqueKey: String?)
        /// A mapping whose keys the operator chooses.
        case map(key: ConfigSchema, value: ConfigSchema)
        /// A text.
        case text(ConfigTextRule)
        /// One of these words.
        case word([String])
        /// `true` or `false`.
        case boolean
        /// A whole number.
        case integer(ClosedRange<Int>)
        /// Any number.
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
        /// A text with `*` and `?`.
        case glob
        /// The name of a file or folder.
        case path
        /// A UUID.
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

    /// What the value may be.
    public let kind: Kind

    /// Makes a schema of one kind.
    public init(_ kind: Kind) {
        self.kind = kind
    }
}
