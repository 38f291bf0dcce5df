public import CastWire

/// Makes typed values of JSON. A fraction is no whole number, a number that does not fit is an error, `null` is nil.
public struct JSONValueDecoder {
    let value: JSONValue
    /// Where the value stands.
    public let codingPath: [any CodingKey]
    /// Empty.
    public var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: JSONValue, at path: [any CodingKey]) {
        self.value = value
        self.codingPath = path
    }

    /// Makes a typed value.
    /// - Throws: ``JSONCodingError`` that says where the JSON does not fit.
    public static func decode<Value: Decodable>(
        _: Value.Type = Value.self, from json: JSONValue
    ) throws(JSONCodingError) -> Value {
        do {
            return try Value(from: JSONValueDecoder(json, at: []))
        } catch {
            throw JSONCodingError(error)
        }
    }

    private func mismatch(_ expected: String) -> JSONCodingError {
        JSONCodingError(self.codingPath, "should be \(expected)")
    }

    private func take<Value>(_ expected: String, _ value: Value?) throws -> Value {
        guard let value else { throw self.mismatch(expected) }
        return value
    }

    private func integer<Value: FixedWidthInteger>() throws -> Value {
        guard case .number(let number) = self.value else { throw self.mismatch("a whole number") }
        if let value = Value(number.literal) { return value }
        guard let value = Value(exactly: number.doubleValue) else {
            throw self.mismatch("a whole number from \(Value.min) to \(Value.max)")
        }
        return value
    }
}

extension JSONValueDecoder: Decoder {
    /// Looks at the value as an object.
    public func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let object = try self.take("an object", self.value.objectValue)
        return KeyedDecodingContainer(JSONKeyedDecoding<Key>(object: object, codingPath: self.codingPath))
    }

    /// Looks at the value as a list.
    public func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        JSONListDecoding(
            elements: try self.take("a list", self.value.arrayValue), codingPath: self.codingPath)
    }

    /// Looks at the value as one.
    public func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    /// True for `null`.
    public func decodeNil() -> Bool { self.value == .null }
    /// A truth value.
    public func decode(_: Bool.Type) throws -> Bool { try self.take("true or false", self.value.boolValue) }
    /// Text.
    public func decode(_: String.Type) throws -> String { try self.take("a string", self.value.stringValue) }
    /// A number.
    public func decode(_: Double.Type) throws -> Double { try self.take("a number", self.value.doubleValue) }
    /// A number.
    public func decode(_: Float.Type) throws -> Float { Float(try self.decode(Double.self)) }
    /// A whole number.
    public func decode(_: Int.Type) throws -> Int { try self.integer() }
    /// A whole number.
    public func decode(_: Int8.Type) throws -> Int8 { try self.integer() }
    /// A whole number.
    public func decode(_: Int16.Type) throws -> Int16 { try self.integer() }
    /// A whole number.
    public func decode(_: Int32.Type) throws -> Int32 { try self.integer() }
    /// A whole number.
    public func decode(_: Int64.Type) throws -> Int64 { try self.integer() }
    /// A whole number.
    public func decode(_: UInt.Type) throws -> UInt { try self.integer() }
    /// A whole number.
    public func decode(_: UInt8.Type) throws -> UInt8 { try self.integer() }
    /// A whole number.
    public func decode(_: UInt16.Type) throws -> UInt16 { try self.integer() }
    /// A whole number.
    public func decode(_: UInt32.Type) throws -> UInt32 { try self.integer() }
    /// A whole number.
    public func decode(_: UInt64.Type) throws -> UInt64 { try self.integer() }
    /// A value of another type.
    public func decode<Value: Decodable>(_: Value.Type) throws -> Value { try Value(from: self) }
}
