package import CastWire

/// Reads members of an object and says where one is at fault. A member that is `null` counts as absent.
package struct ObjectReader {
    package let object: JSONObject
    private let path: String

    package init(_ object: JSONObject, at path: String = "") {
        self.object = object
        self.path = path
    }

    package func fault(_ name: String, _ expected: String) -> PluginWireError {
        PluginWireError(self.path.isEmpty ? name : "\(self.path).\(name)", expected)
    }

    /// The value of a member that has to be there.
    package func required<Value: WireValue>(
        _ name: String, as _: Value.Type = Value.self
    ) throws(PluginWireError) -> Value {
        guard let value: Value = try self.optional(name) else { throw self.fault(name, Value.absence) }
        return value
    }

    /// The value of a member; nil when it is absent.
    package func optional<Value: WireValue>(
        _ name: String, as _: Value.Type = Value.self
    ) throws(PluginWireError) -> Value? {
        guard let value = self.object[name], value != .null else { return nil }
        return try Value(value, named: name, of: self)
    }

    /// The members of an object in this one; nil when it is absent.
    func section(_ name: String) throws(PluginWireError) -> ObjectReader? {
        guard let object: JSONObject = try self.optional(name) else { return nil }
        return ObjectReader(object, at: self.fault(name, "").path)
    }

    /// An object of this one, as a type that reads its members.
    /// - Parameter name: the member, or the place in a list (`devices[2]`).
    func nested<Value: WireObject>(_ value: JSONValue, named name: String) throws(PluginWireError) -> Value {
        guard let object = value.objectValue else { throw self.fault(name, "should be an object") }
        return try Value(ObjectReader(object, at: self.fault(name, "").path))
    }

    /// One of the words of a type.
    func word<Word: RawRepresentable<String> & CaseIterable>(
        _ text: String, named name: String
    ) throws(PluginWireError) -> Word {
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw self.fault(name, "'\(text)' is none of \(words)")
        }
        return word
    }
}

/// Why a value of a line is not what its place takes.
public struct PluginWireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, such as `params.limits.maxLine`.
    public let path: String
    /// What is expected there.
    public let expected: String

    init(_ path: String, _ expected: String) {
        self.path = path
        self.expected = expected
    }

    /// One line for a log or an answer.
    public var description: String { "\(self.path): \(self.expected)" }
}
