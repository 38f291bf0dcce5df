public import CastWire

/// Makes typed values of JSON. A fraction is no whole number, a number that does not fit is an error, `null` is nil.
public struct JSONValueDecoder {
    private let value: JSONValue
    /// Where the value stands.
    public let codingPath: [any CodingKey]
    /// Empty.
    public var userInfo: [CodingUserInfoKey: Any] { [:] }

    fileprivate init(_ value: JSONValue, at path: [any CodingKey]) {
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

/// The members of an object.
private struct JSONKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSONObject
    let codingPath: [any CodingKey]

    var allKeys: [Key] { self.object.members.compactMap { Key(stringValue: $0.name) } }

    func contains(_ key: Key) -> Bool { self.object[key.stringValue] != nil }

    private func decoder(_ key: some CodingKey) throws -> JSONValueDecoder {
        guard let value = self.object[key.stringValue] else {
            throw JSONCodingError(self.codingPath + [key], "is missing")
        }
        return JSONValueDecoder(value, at: self.codingPath + [key])
    }

    func decodeNil(forKey key: Key) throws -> Bool { try self.decoder(key).decodeNil() }

    func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value {
        try Value(from: try self.decoder(key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try self.decoder(key).container(keyedBy: Nested.self)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try self.decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try self.decoder(JSONKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try self.decoder(key) }
}

/// The elements of a list, one after the other.
private struct JSONListDecoding: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [JSONValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { self.elements.count }
    var isAtEnd: Bool { self.currentIndex >= self.elements.count }

    private func decoder() throws -> JSONValueDecoder {
        let path = self.codingPath + [JSONKey(intValue: self.currentIndex)]
        guard !self.isAtEnd else { throw JSONCodingError(path, "is missing") }
        return JSONValueDecoder(self.elements[self.currentIndex], at: path)
    }

    mutating func decodeNil() throws -> Bool {
        guard try self.decoder().decodeNil() else { return false }
        self.currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_: Value.Type) throws -> Value {
        let value = try Value(from: try self.decoder())
        self.currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        let container = try self.decoder().container(keyedBy: Nested.self)
        self.currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try self.decoder().unkeyedContainer()
        self.currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try self.decoder()
        self.currentIndex += 1
        return decoder
    }
}
