/// One entry of a TXT record: `key=value` (RFC 6763, section 6).
package struct TXTEntry: Hashable, Sendable {
    /// The limit of an entry, key and `=` included.
    package static let maximumLength = 255

    /// The key as it was written; keys that differ in case only are the same key.
    package let key: String
    /// The value's bytes; nil for an entry without `=`.
    package let value: [UInt8]?

    package init(key: String, value: [UInt8]?) {
        self.key = key
        self.value = value
    }

    /// Makes an entry of a text, cut behind a whole character where it is too long.
    package init(key: String, text: String) {
        self.init(key: key, value: text.utf8Prefix(Self.maximumLength - key.utf8.count - 1))
    }

    /// Reads an entry as it stands in the record.
    /// - Returns: nil when it is empty, too long, or begins with `=`.
    package init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.maximumLength else { return nil }
        let end = bytes.firstIndex(of: UInt8(ascii: "="))
        guard end != 0 else { return nil }
        self.key = String(decoding: bytes[..<(end ?? bytes.count)], as: UTF8.self)
        self.value = end.map { Array(bytes[($0 + 1)...]) }
    }

    /// The entry as it stands in the record, without its length.
    package var bytes: [UInt8] { Array(self.key.utf8) + (self.value.map { [UInt8(ascii: "=")] + $0 } ?? []) }

    /// The value as text; bytes that are no UTF-8 are replaced.
    package var text: String { String(decoding: self.value ?? [], as: UTF8.self) }
}

extension String {
    /// As many whole characters as fit into so many bytes.
    func utf8Prefix(_ limit: Int) -> [UInt8] {
        guard self.utf8.count > limit else { return Array(self.utf8) }
        var bytes: [UInt8] = []
        for character in self {
            guard bytes.count + character.utf8.count <= limit else { break }
            bytes += character.utf8
        }
        return bytes
    }
}
