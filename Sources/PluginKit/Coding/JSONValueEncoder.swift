public import CastWire

/// Makes JSON of typed values. Members stand in the order in which they are written, nil members are left out.
public struct JSONValueEncoder {
    let node: JSONNode
    /// Where the value stands.
    public let codingPath: [any CodingKey]
    /// Empty.
    public var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ node: JSONNode, at path: [any CodingKey]) {
        self.node = node
        self.codingPath = path
    }

    /// Makes JSON.
    /// - Throws: ``JSONCodingError`` for what JSON cannot hold, such as infinity.
    public static func encode(_ value: some Encodable) throws(JSONCodingError) -> JSONValue {
        let node = JSONNode()
        do {
            try value.encode(to: JSONValueEncoder(node, at: []))
        } catch {
            throw JSONCodingError(error)
        }
        return node.value
    }

    private func number(_ value: Double) throws {
        guard let number = JSONNumber(value) else { throw JSONCodingError(self.codingPath, "\(value) is no JSON") }
        self.node.become(.number(number))
    }

    private func integer(_ value: some FixedWidthInteger) throws {
        if let value = Int(exactly: value) {
            self.node.become(.number(value))
        } else if case .number(let number)? = try? JSONReader.read(String(value)) {
            self.node.become(.number(number))
        }
    }
}

extension JSONValueEncoder: Encoder {
    /// Writes an object.
    public func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JSONKeyedEncoding<Key>(node: self.node, codingPath: self.codingPath))
    }

    /// Writes a list.
    public func unkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONListEncoding(node: self.node, codingPath: self.codingPath)
    }

    /// Writes one value.
    public func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
    /// Writes `null`.
    public func encodeNil() throws { self.node.become(.null) }
    /// Writes a truth value.
    public func encode(_ value: Bool) throws { self.node.become(.bool(value)) }
    /// Writes text.
    public func encode(_ value: String) throws { self.node.become(.string(value)) }
    /// Writes a number.
    public func encode(_ value: Double) throws { try self.number(value) }
    /// Writes a number.
    public func encode(_ value: Float) throws { try self.number(Double(value)) }
    /// Writes a whole number.
    public func encode(_ value: Int) throws { try self.integer(value) }
    /// Writes a whole number.
    public func encode(_ value: Int8) throws { try self.integer(value) }
    /// Writes a whole number.
    public func encode(_ value: Int16) throws { try self.integer(value) }
    /// Writes a whole number.
    public func encode(_ value: Int32) throws { try self.integer(value) }
    /// Writes a whole number.
    public func encode(_ value: Int64) throws { try self.integer(value) }
    /// Writes a whole number.
    public func encode(_ value: UInt) throws { try self.integer(value) }
    /// Writes a whole number.
    public func encode(_ value: UInt8) throws { try self.integer(value) }
    /// Writes a whole number.
    public func encode(_ value: UInt16) throws { try self.integer(value) }
    /// Writes a whole number.
    public func encode(_ value: UInt32) throws { try self.integer(value) }
    /// Writes a whole number.
    public func encode(_ value: UInt64) throws { try self.integer(value) }
    /// Writes a value of another type.
    public func encode(_ value: some Encodable) throws { try value.encode(to: self) }
}
