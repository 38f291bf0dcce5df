/// A single value as it stands in the file, before it has a type.
public struct ConfigScalar: Sendable, Equatable {
    /// How the value is written.
    public enum Style: Sendable, Equatable {
        /// Without quotes.
        case plain
        /// Within `'`.
        case singleQuoted
        /// Within `"`.
        case doubleQuoted
        /// As a block after `|` or `>`.
        case block
    }

    /// The text, escapes and references resolved.
    public var text: String
    /// How it is written.
    public var style: Style
    /// Whether the text may become a number, a truth value or null: it has no quotes and is not pieced together.
    public var isPlain: Bool
    /// The environment variables that the text came from, in order.
    public var variables: [String]
    /// Whether the text could not be made out, which has already been reported.
    public var isBroken: Bool

    /// Makes a scalar.
    public init(text: String, style: Style, isPlain: Bool, variables: [String] = [], isBroken: Bool = false) {
        self.text = text
        self.style = style
        self.isPlain = isPlain
        self.variables = variables
        self.isBroken = isBroken
    }

    /// Whether the value is nothing: empty, `~` or `null` without quotes (YAML 1.2 core schema).
    public var isNull: Bool {
        self.isPlain && !self.isBroken && ["", "~", "null", "Null", "NULL"].contains(self.text)
    }
}
