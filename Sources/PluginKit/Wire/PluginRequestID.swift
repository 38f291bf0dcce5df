public import CastWire

/// The id by which an answer finds its request. Each end of the wire numbers its own.
public enum PluginRequestID: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    /// A whole number, as the gateway uses.
    case number(Int)
    /// Text.
    case string(String)

    /// A number from a literal.
    public init(integerLiteral value: Int) { self = .number(value) }

    /// A text from a literal.
    public init(stringLiteral value: String) { self = .string(value) }

    /// The id of a JSON number that is whole, or of a string; nil for anything else.
    public init?(json: JSONValue?) {
        switch json {
        case .number(let number):
            guard let value = number.intValue else { return nil }
            self = .number(value)
        case .string(let text): self = .string(text)
        default: return nil
        }
    }

    /// The id as it stands in a line.
    public var json: JSONValue {
        switch self {
        case .number(let value): .number(value)
        case .string(let text): .string(text)
        }
    }
}

extension PluginRequestID: CustomStringConvertible {
    /// The id as it stands in a line, for logs.
    public var description: String { self.json.text }
}
