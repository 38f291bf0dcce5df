/// One thing that is wrong with a configuration, with its place and, where there is one, advice.
public struct ConfigProblem: Sendable, Hashable {
    /// Whether the configuration can be used all the same.
    public enum Severity: String, Sendable, Hashable {
        /// The configuration is refused.
        case error
        /// The configuration is used.
        case warning
    }

    /// The kind of problem; stable over versions.
    public var code: Code
    /// How bad it is.
    public var severity: Severity
    /// Where it is.
    public var location: ConfigLocation
    /// What is wrong, without a full stop.
    public var message: String
    /// What to do about it.
    public var hint: String?
    /// The line of the file at ``location``, with secrets masked; nil when there is none.
    public var excerpt: String?

    /// Makes a problem; a report fills in the excerpt.
    public init(
        code: Code,
        severity: Severity = .error,
        location: ConfigLocation,
        message: String,
        hint: String? = nil,
        excerpt: String? = nil
    ) {
        self.code = code
        self.severity = severity
        self.location = location
        self.message = message
        self.hint = hint
        self.excerpt = excerpt
    }
}
