public import CastWire

/// Makes JSON of typed values. Members stand in the order in which they are written, nil members are left out.
public struct JSONValueEncoder {
    private let node: JSONNode
    /// Where the value stands.
    public let codingPath: [any CodingKey]
    /// Empty.
    public var userInfo: [CodingUserInfoKey: Any] { [:] }

    fileprivate init(_ node: JSONNode, at path: [any CodingKey]) {
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
        self.node.set(.number(number))
    }

    private func integer(_ value: some FixedWidthInteger) throws {
        if let value = Int(exactly: value) {
            self.node.set(.number(value))
        } else if case .number(let number)? = try? JSONReader.read(String(value)) {
            self.node.set(.number(number))
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
    public func encodeNil() throws { self.node.set(.null) }
    /// Writes a truth value.
    public func encode(_ value: Bool) throws { self.node.set(.bool(value)) }
    /// Writes text.
    public func encode(_ value: String) throws { self.node.set(.string(value)) }
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

/// The members of an object that is being written.
private struct JSONKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    let codingPath: [any CodingKey]

    private func encoder(_ key: some CodingKey) -> JSONValueEncoder {
        JSONValueEncoder(self.node.member(key.stringValue), at: self.codingPath + [key])
    }

    mutating func encodeNil(forKey key: Key) throws { try self.encoder(key).encodeNil() }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws { try value.encode(to: self.encoder(key)) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        self.encoder(key).container(keyedBy: Nested.self)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        self.encoder(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { self.encoder(JSONKey(stringValue: "super")) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { self.encoder(key) }
}

/// The elements of a list that is being written.
private struct JSONListEncoding: UnkeyedEncodingContainer {
    let node: JSONNode
    let codingPath: [any CodingKey]
    private(set) var count = 0

    init(node: JSONNode, codingPath: [any CodingKey]) {
        self.node = node
        self.codingPath = codingPath
        node.makeList()
    }

    private mutating func encoder() -> JSONValueEncoder {
        defer { self.count += 1 }
        return JSONValueEncoder(self.node.element(), at: self.codingPath + [JSONKey(intValue: self.count)])
    }

    mutating func encodeNil() throws { try self.encoder().encodeNil() }

    mutating func encode(_ value: some Encodable) throws { try value.encode(to: self.encoder()) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        self.encoder().container(keyedBy: Nested.self)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self.encoder().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { self.encoder() }
}

/// A value that is being written; what it holds is known when all is written.
private final class JSONNode {
    private enum Kind {
        case nothing, scalar, list, object
    }

    private var kind = Kind.nothing
    private var scalar = JSONValue.null
    private var elements: [JSONNode] = []
    private var members: [(name: String, node: JSONNode)] = []

    /// What was written; an object for a value that wrote nothing, as one without members does.
    var value: JSONValue {
        switch self.kind {
        case .scalar: self.scalar
        case .list: .array(self.elements.map(\.value))
        case .nothing, .object: .object(JSONObject(self.members.map { ($0.name, $0.node.value) }))
        }
    }

    /// Makes it this value.
    func set(_ value: JSONValue) {
        self.kind = .scalar
        self.scalar = value
    }

    /// Makes it a list, unless it is something already.
    func makeList() {
        if self.kind == .nothing { self.kind = .list }
    }

    /// A new member.
    func member(_ name: String) -> JSONNode {
        self.kind = .object
        let node = JSONNode()
        self.members.append((name: name, node: node))
        return node
    }

    /// A new element at the end.
    func element() -> JSONNode {
        self.kind = .list
        let node = JSONNode()
        self.elements.append(node)
        return node
    }
}
