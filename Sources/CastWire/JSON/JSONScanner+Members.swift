extension JSONScanner {
    /// The name of a member, where it stands.
    package struct Name {
        /// Where its bytes stand.
        @usableFromInline
        let content: Range<Int>
        /// The name itself when it is written with escapes; else the bytes are compared.
        @usableFromInline
        let unescaped: String?

        /// How many bytes it has.
        @inlinable
        package var length: Int { self.unescaped?.utf8.count ?? self.content.count }

        /// The name itself; its bytes must have been read as text before.
        package func text(_ bytes: Span<UInt8>) -> String {
            if let unescaped { return unescaped }
            guard let text = try? UTF8Span(validating: bytes.extracting(self.content)) else { return "" }
            return String(copying: text)
        }

        /// True when the member is called so.
        @inlinable
        package func matches(_ word: StaticString, _ bytes: Span<UInt8>) -> Bool {
            if let unescaped { return unescaped == word.description }
            guard self.content.count == word.utf8CodeUnitCount else { return false }
            return word.withUTF8Buffer { expected in
                for index in 0..<expected.count where bytes[self.content.lowerBound + index] != expected[index] {
                    return false
                }
                return true
            }
        }
    }

    /// Steps into an object.
    /// - Throws: ``JSONError`` when something else comes next.
    package mutating func enterObject(_ bytes: Span<UInt8>) throws(JSONError) {
        guard self.take(UInt8(ascii: "{"), bytes) else { throw self.unexpected(bytes) }
    }

    /// Steps over the name of an object's next member, up to its value, or over the object's end.
    /// - Parameter isFirst: true for the first member; false afterwards.
    /// - Returns: the name, or nil at the end.
    package mutating func nextName(_ bytes: Span<UInt8>, isFirst: inout Bool) throws(JSONError) -> Name? {
        if self.take(UInt8(ascii: "}"), bytes) { return nil }
        guard isFirst || self.take(UInt8(ascii: ","), bytes) else { throw self.unexpected(bytes) }
        isFirst = false
        self.skipBlanks(bytes)
        guard try self.peek(bytes) == UInt8(ascii: "\"") else { throw self.unexpected(bytes) }
        let start = self
        let (content, escaped) = try self.skipString(bytes)
        var unescaped: String?
        if escaped {
            self = start
            unescaped = try self.string(bytes)
        }
        guard self.take(UInt8(ascii: ":"), bytes) else { throw self.unexpected(bytes) }
        self.skipBlanks(bytes)
        return Name(content: content, unescaped: unescaped)
    }

    /// Steps over what may stand behind the last value.
    /// - Throws: ``JSONError`` when that is more than blanks.
    package mutating func finish(_ bytes: Span<UInt8>) throws(JSONError) {
        self.skipBlanks(bytes)
        guard self.offset == bytes.count else { throw self.error(.trailingBytes) }
    }
}
