import CastWire

/// The members of an object that is being written.
struct JSONKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
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
