import CastWire

/// The elements of a list, one after the other.
struct JSONListDecoding: UnkeyedDecodingContainer {
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
