/// What others' part of a configuration may be, as they wrote it in JSON Schema: the commonest words of draft-07.
///
/// Known are `type`, `properties`, `required`, `additionalProperties`, `items`, `enum`, `minimum`, `maximum`, `minLength`,
/// `maxLength`, `minItems`, `maxItems`, `pattern` and `default`; words that only describe are passed over, and others are
/// an error, so that no schema promises what is not checked.
public struct ValueSchema: Sendable {
    /// The types of JSON.
    enum Kind: String, CaseIterable {
        case null, boolean, integer, number, string, array, object
    }

    /// A property of an object.
    struct Property: Sendable {
        let name: String
        let schema: ValueSchema
    }

    /// What an object may hold beside its properties.
    indirect enum Others: Sendable {
        case anything
        case nothing
        case schema(ValueSchema)
    }

    var kinds: Set<Kind> = []
    var properties: [Property] = []
    var required: [String] = []
    var others = Others.anything
    var items: [ValueSchema] = []
    var words: [ConfigJSON] = []
    var minimum: Double?
    var maximum: Double?
    var lengths: ClosedRange<Int>?
    var counts: ClosedRange<Int>?
    var pattern: String?
    var fallback: ConfigJSON?

    /// A schema that everything fits.
    public init() {}

    /// Reads a schema from a file.
    /// - Returns: the schema, nil when something is wrong with it; and the file with what is wrong, for
    ///   ``ConfigDocument/adopt(_:)``.
    public static func load(
        path: String, fileSystem: ConfigFileSystem
    ) -> (schema: ValueSchema?, document: ConfigDocument) {
        var (tree, document) = ConfigDocument.loadTree(path: path, fileSystem: fileSystem)
        guard let tree, !document.problems.hasErrors else { return (nil, document) }
        var reader = ValueSchemaReader(problems: document.problems)
        let schema = reader.schema(tree, depth: 0)
        document.problems = reader.problems
        return (document.problems.hasErrors ? nil : schema, document)
    }
}
