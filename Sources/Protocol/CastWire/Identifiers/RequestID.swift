import Synchronization

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

extension RequestID: FieldValue {
    /// Reads a number or a string, and nothing else.
    public init?(field value: JSONValue, isExact: Bool) {
        self.init(json: value)
    }

    /// The id as it came in.
    public var fieldValue: JSONValue { self.json }
}

/// Numbers a sender's requests on one channel: from 1 as a rule, in all namespaces together (protocol notes, 7).
///
/// A sender that opens the channel anew goes on counting, since a device may still know the numbers of the channel before.
public final class RequestCounter: Sendable {
    private let last: Atomic<Int32>

    /// Starts with a number above 0: far from 1 where others count on the same channel.
    public init(startingAt first: Int32 = 1) {
        self.last = Atomic(first - 1)
    }

    /// A number that was not given before.
    public func next() -> RequestID {
        let number = self.last.wrappingAdd(1, ordering: .relaxed).newValue
        // Receivers read numbers as 32 bits, and 0 stands for a message that answers no request.
        guard number > 0 else {
            self.last.store(1, ordering: .relaxed)
            return 1
        }
        return RequestID(Int(number))
    }
}
