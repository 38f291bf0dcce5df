/// Why a value of a line is not what its place takes.
public struct PluginWireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, such as `params.limits.maxLine`.
    public let path: String
    /// What belongs there.
    public let expected: String

    init(_ path: String, _ expected: String) {
        self.path = path
        self.expected = expected
    }

    /// One line for a log or an answer.
    public var description: String { "\(self.path): \(self.expected)" }
}
