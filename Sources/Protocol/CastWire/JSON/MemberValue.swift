/// A type whose values are members of answers and events: a text, a number, a truth value, a list of those, or JSON.
package protocol MemberValue: Sendable {
    /// The kind of the value in documents.
    static var kind: JSONKind { get }

    /// The value as it is written; nil for one that JSON does not have, such as an infinite number.
    var jsonValue: JSONValue? { get }

    /// Reads the value; nil when it is of another kind.
    init?(jsonValue: JSONValue)
}

extension String: MemberValue {
    package static var kind: JSONKind { .text }
    package var jsonValue: JSONValue? { .string(self) }
    package init?(jsonValue: JSONValue) {
        guard let text = jsonValue.stringValue else { return nil }
        self = text
    }
}

extension Bool: MemberValue {
    package static var kind: JSONKind { .boolean }
    package var jsonValue: JSONValue? { .bool(self) }
    package init?(jsonValue: JSONValue) {
        guard case .bool(let value) = jsonValue else { return nil }
        self = value
    }
}

extension Int: MemberValue {
    package static var kind: JSONKind { .integer }
    package var jsonValue: JSONValue? { .number(self) }
    package init?(jsonValue: JSONValue) {
        guard let value = jsonValue.intValue else { return nil }
        self = value
    }
}

extension Double: MemberValue {
    package static var kind: JSONKind { .number }
    package var jsonValue: JSONValue? { self.isFinite ? .number(self) : nil }
    package init?(jsonValue: JSONValue) {
        guard let value = jsonValue.doubleValue else { return nil }
        self = value
    }
}

extension Array: MemberValue where Element: MemberValue {
    package static var kind: JSONKind { .list(Element.kind) }
    package var jsonValue: JSONValue? { .array(self.compactMap(\.jsonValue)) }
    package init?(jsonValue: JSONValue) {
        guard case .array(let elements) = jsonValue else { return nil }
        self = elements.compactMap(Element.init(jsonValue:))
    }
}

extension JSONObject: MemberValue {
    package static var kind: JSONKind { .map(.anything) }
    package var jsonValue: JSONValue? { .object(self) }
    package init?(jsonValue: JSONValue) {
        guard case .object(let object) = jsonValue else { return nil }
        self = object
    }
}

extension JSONValue: MemberValue {
    package static var kind: JSONKind { .anything }
    package var jsonValue: JSONValue? { self }
    package init?(jsonValue: JSONValue) { self = jsonValue }
}
