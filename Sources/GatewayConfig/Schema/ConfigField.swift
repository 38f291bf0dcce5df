/// One key of an object: its name, what it may be, and what people and editors are told about it.
public struct ConfigField: Sendable {
    /// What holds when the key is not written.
    public enum Presence: Sendable, Equatable {
        /// Leaving it out is a problem.
        case required
        /// There is no value.
        case optional
        /// The value is this YAML text.
        case defaultsTo(String)
        /// The value is that of another key of the same object.
        case sameAs(String)
    }

    /// The key.
    public let name: String
    /// What the value may be.
    public let schema: ConfigSchema
    /// What holds without the key.
    public let presence: Presence
    /// What the key means, in one or two sentences without a full stop at the end.
    public let meaning: String
    /// A value as it would be written.
    public let example: String?
    /// What a change does to a running gateway; nil leaves it to the mapping around the field.
    public let reload: ReloadClass?

    /// Makes a field.
    public init(
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
