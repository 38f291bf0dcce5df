/// Any JSON value. Numbers keep their spelling and objects their order, so what is read and written again is unchanged.
public enum JSONValue: Hashable, Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number, spelled as it was read.
    case number(JSONNumber)
    /// Text.
    case string(String)
    /// An ordered list.
    case array([JSONValue])
    /// Named values in order.
    case object(JSONObject)
}

extension JSONValue {
    /// The text of a string, or nil for another kind.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The truth value, or nil for another kind.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number as a whole number when it is one (`5` and `5.0` are), or nil.
    public var intValue: Int? { if case .number(let value) = self { value.intValue } else { nil } }
    /// The number, or nil for another kind.
    public var doubleValue: Double? { if case .number(let value) = self { value.doubleValue } else { nil } }
    /// The elements of a list, or nil for another kind.
    public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The object, or nil for another kind.
    public var objectValue: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The value as JSON text on one line.
    public var text: String { JSONWriter.text(self) }

    /// Whether another value means the same, where `==` compares the spelling: numbers are compared by their value (`1` is
    /// `1.0`), objects whatever the order of their members is; of a name that stands twice the last value counts.
    public func isEquivalent(to other: JSONValue) -> Bool {
        switch (self, other) {
        case (.number(let left), .number(let right)): left.isEquivalent(to: right)
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isEquivalent(to: $1) }
        case (.object(let left), .object(let right)): left.isEquivalent(to: right)
        default: self == other
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    /// A number; one that JSON cannot hold becomes `null`.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// `null`
    public init(nilLiteral: ()) { self = .null }
    /// A list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object, in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }

    /// A whole number.
    public static func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

    /// A number; infinity and not-a-number, which JSON cannot hold, become `null`.
    public static func number(_ value: Double) -> JSONValue {
        guard let number = JSONNumber(value) else { return .null }
        return .number(number)
    }
}

/// A JSON number with its spelling, so that `1.0`, `1` and `1e0` stay what they were.
public struct JSONNumber: Hashable, Sendable {
    /// The number as it stands in the text.
    public let literal: String

    /// Takes a literal that the reader has checked against the grammar of RFC 8259, section 6.
    init(checked literal: String) {
        self.literal = literal
    }

    /// A whole number.
    public init(_ value: Int) {
        self.literal = String(value)
    }

    /// A number, or nil for infinity and not-a-number, which JSON cannot hold. Whole values are written without a fraction.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        if let whole = Int(exactly: value) {
            self.literal = String(whole)
        } else {
            self.literal = value.description
        }
    }

    /// The value as a double; a literal beyond its range is infinite.
    public var doubleValue: Double { Double(self.literal) ?? .nan }

    /// The value when it is a whole number that fits, also when it is spelled `5.0`.
    public var intValue: Int? {
        Int(self.literal) ?? Int(exactly: self.doubleValue)
    }

    /// Whether another number has the same value; numbers beyond the range of a double are compared by their spelling.
    fileprivate func isEquivalent(to other: JSONNumber) -> Bool {
        if let whole = self.intValue, let otherWhole = other.intValue { return whole == otherWhole }
        let value = self.doubleValue
        return value.isFinite ? value == other.doubleValue : self == other
    }
}
