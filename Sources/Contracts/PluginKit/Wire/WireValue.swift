package import CastWire
package import HandlerKit

/// A type that stands under a member of an object in a line. It alone knows what a fault in it is called.
package protocol WireValue: Sendable {
    /// What is said when a member that has to be there is not.
    static var absence: String { get }

    /// Reads a value that is not `null`.
    /// - Parameter name: the member that it stands under, in the object of the reader, for faults.
    init(_ value: JSONValue, named name: String, of reader: ObjectReader) throws(PluginWireError)

    /// The value as it stands in a line.
    var wireValue: JSONValue { get }
}

/// A type of which there may be a list.
package protocol WireElement: WireValue {
    /// Reads a list.
    static func list(
        _ value: JSONValue, named name: String, of reader: ObjectReader
    ) throws(PluginWireError) -> [Self]
}

extension WireElement {
    /// Reads a list of strings. It is judged as a whole: one element of another kind makes it none.
    package static func list(
        _ value: JSONValue, named name: String, of reader: ObjectReader
    ) throws(PluginWireError) -> [Self] {
        guard let elements = value.arrayValue, elements.allSatisfy({ $0.stringValue != nil }) else {
            throw reader.fault(name, "should be a list of strings")
        }
        var values: [Self] = []
        for element in elements { values.append(try Self(element, named: name, of: reader)) }
        return values
    }
}

/// A value of one kind, which its faults name.
package protocol WireScalar: WireValue {
    /// The kind: `a string`.
    static var kind: String { get }

    /// Reads a value; nil when it is of another kind.
    static func read(_ value: JSONValue) -> Self?
}

extension WireScalar {
    package static var absence: String { "\(self.kind) is missing" }

    package init(_ value: JSONValue, named name: String, of reader: ObjectReader) throws(PluginWireError) {
        guard let value = Self.read(value) else { throw reader.fault(name, "should be \(Self.kind)") }
        self = value
    }
}

/// A type that is an object in a line.
package protocol WireObject: WireElement {
    /// Takes the members that it knows; others are ignored.
    /// - Throws: ``PluginWireError`` that names the member at fault.
    init(_ reader: ObjectReader) throws(PluginWireError)

    /// The object.
    var json: JSONObject { get }
}

extension WireObject {
    package static var absence: String { "an object is missing" }

    package init(_ value: JSONValue, named name: String, of reader: ObjectReader) throws(PluginWireError) {
        self = try reader.nested(value, named: name)
    }

    /// The place of an element at fault is named: `devices[2]`.
    package static func list(
        _ value: JSONValue, named name: String, of reader: ObjectReader
    ) throws(PluginWireError) -> [Self] {
        guard let values = value.arrayValue else { throw reader.fault(name, "should be a list") }
        var elements: [Self] = []
        elements.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            elements.append(try reader.nested(value, named: "\(name)[\(index)]"))
        }
        return elements
    }

    package var wireValue: JSONValue { .object(self.json) }
}

/// A type whose values are words: one that it does not have is a fault.
package protocol ClosedWord: WireElement, RawRepresentable<String>, CaseIterable {}

extension ClosedWord {
    package static var absence: String { "a word is missing" }

    package init(_ value: JSONValue, named name: String, of reader: ObjectReader) throws(PluginWireError) {
        self = try reader.word(try String(value, named: name, of: reader), named: name)
    }

    package var wireValue: JSONValue { .string(self.rawValue) }
}

extension RoutingPhase: ClosedWord {}
extension MessageDirection: ClosedWord {}
extension MessageLeg: ClosedWord {}
extension Effect.LogLevel: ClosedWord {}

extension String: WireScalar, WireElement {
    package static var kind: String { "a string" }
    package static func read(_ value: JSONValue) -> String? { value.stringValue }
    package var wireValue: JSONValue { .string(self) }
}

extension Namespace: WireScalar {
    package static var kind: String { String.kind }
    package static func read(_ value: JSONValue) -> Namespace? { value.stringValue.map(Self.init(rawValue:)) }
    package var wireValue: JSONValue { .string(self.rawValue) }
}

extension Bool: WireScalar {
    package static var kind: String { "true or false" }
    package static func read(_ value: JSONValue) -> Bool? { value.boolValue }
    package var wireValue: JSONValue { .bool(self) }
}

extension Int: WireScalar {
    package static var kind: String { "a whole number" }
    package static func read(_ value: JSONValue) -> Int? { value.intValue }
    package var wireValue: JSONValue { .number(self) }
}

extension Double: WireScalar {
    package static var kind: String { "a number" }
    package static func read(_ value: JSONValue) -> Double? { value.doubleValue }
    package var wireValue: JSONValue { .number(self) }
}

/// A time in milliseconds, at least 0.
extension Duration: WireValue {
    package static var absence: String { "milliseconds are missing" }

    package init(_ value: JSONValue, named name: String, of reader: ObjectReader) throws(PluginWireError) {
        guard let duration = Duration(wireMilliseconds: try Int(value, named: name, of: reader)) else {
            throw reader.fault(name, "should be milliseconds, from 0 to \(Self.maximumWireMilliseconds)")
        }
        self = duration
    }

    package var wireValue: JSONValue { .number(self.wireMilliseconds) }

    /// No time on the wire is longer: 30 days.
    static let maximumWireMilliseconds = 2_592_000_000

    /// A time from the wire; nil when negative or beyond reason.
    init?(wireMilliseconds value: Int) {
        guard (0...Self.maximumWireMilliseconds).contains(value) else { return nil }
        self = .milliseconds(value)
    }

    /// The time in whole milliseconds, rounded up, so that what is left of a time is not nothing; at least 0.
    var wireMilliseconds: Int {
        let (seconds, attoseconds) = self.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < Int64(Self.maximumWireMilliseconds / 1_000) else { return Self.maximumWireMilliseconds }
        return Int(seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

/// Any value.
extension JSONValue: WireScalar {
    package static var kind: String { "a value" }
    package static func read(_ value: JSONValue) -> JSONValue? { value }
    package var wireValue: JSONValue { self }
}

/// An object whose members are not the protocol's.
extension JSONObject: WireScalar {
    package static var kind: String { "an object" }
    package static func read(_ value: JSONValue) -> JSONObject? { value.objectValue }
    package var wireValue: JSONValue { .object(self) }
}

extension Array: WireValue where Element: WireElement {
    package static var absence: String { "a list is missing" }

    package init(_ value: JSONValue, named name: String, of reader: ObjectReader) throws(PluginWireError) {
        self = try Element.list(value, named: name, of: reader)
    }

    package var wireValue: JSONValue { .array(self.map(\.wireValue)) }
}

/// Versions from one to another.
extension ClosedRange: WireValue, WireElement, WireObject where Bound == Int {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        let minimum: Int = try reader.required("min")
        let maximum: Int = try reader.required("max")
        guard minimum <= maximum else { throw reader.fault("min", "is above max") }
        self = minimum...maximum
    }

    package var json: JSONObject { ["min": .number(self.lowerBound), "max": .number(self.upperBound)] }
}
