/// The number by which a sender matches a reply to its request.
///
/// Senders use integers above zero; some old ones send 0 or text. Whatever came in goes back unchanged
/// (protocol notes, 7).
public struct RequestID: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The id as it stood in the request: a number or a string.
    public let json: JSONValue

    /// Makes an id from a whole number.
    public init(_ number: Int) {
        self.json = .number(JSONNumber(number))
    }

    /// Makes an id from a literal.
    public init(integerLiteral value: Int) {
        self.init(value)
    }

    /// Makes an id from a JSON number or string; anything else is no id.
    public init?(json: JSONValue?) {
        switch json {
        case .number, .string: self.json = json ?? .null
        default: return nil
        }
    }

    /// The id of a message that answers no request.
    public static let spontaneous: RequestID = 0

    /// The id as text, for logs.
    public var description: String { self.json.text }
}
