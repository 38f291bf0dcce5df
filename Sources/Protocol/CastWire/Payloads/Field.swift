/// One field of a payload: its name on the wire, and by its type how it is read and written.
///
/// A payload type lists its fields in a nested `Fields`, one line each, and ``JSONPayload`` offers every one of them as an
/// optional property of the same name: `track.trackID` reads ``MediaTrack/Fields/trackID``.
public struct Field<Value: FieldValue>: Sendable {
    /// Its name on the wire.
    public let name: String
    /// True when a value of another kind counts as absent; false when it is converted, as receivers convert it.
    public let isExact: Bool

    /// A field of the media namespace: numbers may be spelled as text, and truth follows JavaScript.
    public init(_ name: String) {
        self.name = name
        self.isExact = false
    }

    /// A field of the platform's namespaces: a number is a number, and only `true` and `false` are truth values.
    public init(exact name: String) {
        self.name = name
        self.isExact = true
    }
}

/// What may stand under a ``Field``.
public protocol FieldValue {
    /// Reads a value; nil when it counts as absent.
    /// - Parameter isExact: as for ``Field/isExact``.
    init?(field value: JSONValue, isExact: Bool)

    /// The value as it is written.
    var fieldValue: JSONValue { get }

    /// Reads a list of such values; nil when the whole list counts as absent.
    static func list(of elements: [JSONValue]) -> [Self]?
}

extension FieldValue {
    /// Leaves out the elements that are of another kind.
    @inlinable
    public static func list(of elements: [JSONValue]) -> [Self]? {
        elements.compactMap { Self(field: $0, isExact: false) }
    }
}

/// A word of the protocol from an open set: one that Castway does not know is kept as it came.
public protocol WireWord: RawRepresentable, Hashable, Sendable, FieldValue, ExpressibleByStringLiteral
where RawValue == String {
    /// Takes a word from the wire; unknown ones are kept.
    init(rawValue: String)
}

extension WireWord {
    /// Makes a word from a literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension FieldValue where Self: RawRepresentable, RawValue: FieldValue {
    /// Reads the raw value; nil too for one that a closed set does not have.
    @inlinable
    public init?(field value: JSONValue, isExact: Bool) {
        guard let raw = RawValue(field: value, isExact: isExact) else { return nil }
        self.init(rawValue: raw)
    }

    /// The raw value.
    @inlinable
    public var fieldValue: JSONValue { self.rawValue.fieldValue }
}

extension String: FieldValue {
    /// Reads text, and nothing else.
    @inlinable
    public init?(field value: JSONValue, isExact: Bool) {
        guard case .string(let text) = value else { return nil }
        self = text
    }

    /// Text.
    @inlinable
    public var fieldValue: JSONValue { .string(self) }
}

extension Int: FieldValue {
    /// Reads a whole number, also spelled as text (`"2"`) unless it is exact.
    public init?(field value: JSONValue, isExact: Bool) {
        switch value {
        case .number(let number):
            guard let whole = number.intValue else { return nil }
            self = whole
        case .string(let text) where !isExact: self.init(text)
        default: return nil
        }
    }

    /// A number.
    public var fieldValue: JSONValue { .number(self) }

    /// Nil unless every element is a whole number: of a list of ids with a hole in it nothing can be known.
    public static func list(of elements: [JSONValue]) -> [Int]? {
        let numbers = elements.compactMap { Int(field: $0, isExact: false) }
        return numbers.count == elements.count ? numbers : nil
    }
}

extension Double: FieldValue {
    /// Reads a number, also spelled as text unless it is exact; infinite beyond the range of a double, never not-a-number.
    public init?(field value: JSONValue, isExact: Bool) {
        let number: Double? =
            switch value {
            case .number(let number): number.doubleValue
            case .string(let text) where !isExact: Double(text)
            default: nil
            }
        guard let number, !number.isNaN else { return nil }
        self = number
    }

    /// A number; `null` for infinity, which JSON cannot hold.
    public var fieldValue: JSONValue { .number(self) }
}

extension Bool: FieldValue {
    /// Reads a truth value: what JavaScript takes the value for unless it is exact; `null` counts as absent.
    ///
    /// VLC sends `"false"` as text and means false, but receivers take it for true.
    public init?(field value: JSONValue, isExact: Bool) {
        switch value {
        case .bool(let truth): self = truth
        case _ where isExact: return nil
        case .null: return nil
        case .number(let number): self = number.doubleValue != 0
        case .string(let text): self = !text.isEmpty
        case .array, .object: self = true
        }
    }

    /// A truth value.
    public var fieldValue: JSONValue { .bool(self) }
}

extension JSONValue: FieldValue {
    /// Takes any value.
    @inlinable
    public init?(field value: JSONValue, isExact: Bool) { self = value }

    /// The value itself.
    @inlinable
    public var fieldValue: JSONValue { self }
}

extension JSONObject: FieldValue {
    /// Reads an object, and nothing else.
    @inlinable
    public init?(field value: JSONValue, isExact: Bool) {
        guard case .object(let object) = value else { return nil }
        self = object
    }

    /// An object.
    @inlinable
    public var fieldValue: JSONValue { .object(self) }
}

extension Array: FieldValue where Element: FieldValue {
    /// Reads a list.
    @inlinable
    public init?(field value: JSONValue, isExact: Bool) {
        guard case .array(let elements) = value, let list = Element.list(of: elements) else { return nil }
        self = list
    }

    /// A list.
    @inlinable
    public var fieldValue: JSONValue { .array(self.map(\.fieldValue)) }
}
