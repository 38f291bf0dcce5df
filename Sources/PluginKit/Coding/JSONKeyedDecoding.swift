import CastWire

/// The members of an object.
struct JSONKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
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
