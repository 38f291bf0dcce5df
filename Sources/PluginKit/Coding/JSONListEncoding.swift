import CastWire

/// The elements of a list that is being written.
struct JSONListEncoding: UnkeyedEncodingContainer {
    let node: JSONNode
    let codingPath: [any CodingKey]
    private(set) var count = 0

    init(node: JSONNode, codingPath: [any CodingKey]) {
        self.node = node
        self.codingPath = codingPath
        node.becomeList()
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
