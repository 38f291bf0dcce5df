/// A place in a JSON text, and the steps that the reader and the peek take from it.
///
/// It holds no bytes: they are passed to each step, so that their lifetime stays with the caller.
package struct JSONScanner {
    /// The byte that comes next.
    package var offset = 0
    /// How many values the reader may still make.
    var valuesLeft = JSONReader.maximumValues

    /// Starts at a byte of the text.
    package init(offset: Int = 0) {
        self.offset = offset
    }

    package func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason: reason, offset: self.offset)
    }

    /// The fault of standing at this byte, or at the end.
    package func unexpected(_ bytes: Span<UInt8>) -> JSONError {
        self.error(self.offset < bytes.count ? .unexpectedByte : .unexpectedEnd)
    }

    @inlinable
    package func peek(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
        guard self.offset < bytes.count else { throw self.error(.unexpectedEnd) }
        return bytes[self.offset]
    }

    @inlinable
    package mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while self.offset < bytes.count {
            switch bytes[self.offset] {
            case 0x20, 0x09, 0x0A, 0x0D: self.offset += 1
            default: return
            }
        }
    }

    /// Steps over blanks and this byte, if it comes next.
    @inlinable
    package mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        self.skipBlanks(bytes)
        guard self.offset < bytes.count, bytes[self.offset] == byte else { return false }
        self.offset += 1
        return true
    }

    package mutating func expect(_ word: StaticString, _ bytes: Span<UInt8>) throws(JSONError) {
        for expected in word.description.utf8 {
            guard try self.peek(bytes) == expected else { throw self.error(.unexpectedByte) }
            self.offset += 1
        }
    }

    /// A number by the grammar of RFC 8259, section 6.
    package mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSONNumber {
        let start = self.offset
        try self.skipNumber(bytes)
        return JSONNumber(checked: try self.text(bytes, start..<self.offset))
    }

    /// Steps over a number without keeping it.
    package mutating func skipNumber(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = self.offset
        if try self.peek(bytes) == UInt8(ascii: "-") { self.offset += 1 }
        if self.offset < bytes.count, bytes[self.offset] == UInt8(ascii: "0") {
            self.offset += 1
        } else if self.skipDigits(bytes) == 0 {
            guard self.offset > start else { throw self.unexpected(bytes) }
            throw self.error(.invalidNumber)
        }
        if self.offset < bytes.count, bytes[self.offset] == UInt8(ascii: ".") {
            self.offset += 1
            guard self.skipDigits(bytes) > 0 else { throw self.error(.invalidNumber) }
        }
        if self.offset < bytes.count, bytes[self.offset] | 0x20 == UInt8(ascii: "e") {
            self.offset += 1
            if self.offset < bytes.count,
                bytes[self.offset] == UInt8(ascii: "+") || bytes[self.offset] == UInt8(ascii: "-")
            {
                self.offset += 1
            }
            guard self.skipDigits(bytes) > 0 else { throw self.error(.invalidNumber) }
        }
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) -> Int {
        let start = self.offset
        while self.offset < bytes.count, bytes[self.offset] >= 0x30, bytes[self.offset] <= 0x39 { self.offset += 1 }
        return self.offset - start
    }

    /// Steps over a string without reading it; returns the bytes between its quotes and whether they hold escapes.
    ///
    /// Eight bytes at a time as long as they are plain: 1 instruction a byte instead of 9.
    package mutating func skipString(_ bytes: Span<UInt8>) throws(JSONError) -> (content: Range<Int>, escaped: Bool) {
        let start = self.offset + 1
        var index = start
        var escaped = false
        while true {
            while index + 8 <= bytes.count {
                let word = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
                let plain = Self.countOfPlainBytes(word.littleEndian)
                index += plain
                if plain < 8 { break }
            }
            guard index < bytes.count else {
                self.offset = bytes.count
                throw self.error(.unexpectedEnd)
            }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                self.offset = index + 1
                return (start..<index, escaped)
            case UInt8(ascii: "\\"):
                escaped = true
                guard let next = Self.endOfEscape(bytes, index) else {
                    self.offset = index + 1 < bytes.count ? index : bytes.count
                    throw self.error(index + 1 < bytes.count ? .invalidEscape : .unexpectedEnd)
                }
                index = next
            case 0..<0x20:
                self.offset = index
                throw self.error(.unexpectedByte)
            default: index += 1
            }
        }
    }

    /// Where the escape ends that begins here; nil when it is none.
    private static func endOfEscape(_ bytes: Span<UInt8>, _ index: Int) -> Int? {
        guard index + 1 < bytes.count else { return nil }
        switch bytes[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return index + 2
        case UInt8(ascii: "u"): return Self.hex(bytes, 0..<bytes.count, index + 2).map { _ in index + 6 }
        default: return nil
        }
    }

    /// How many bytes of a word, as it stands in a text, neither end a string nor are odd in one.
    static func countOfPlainBytes(_ word: UInt64) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found =
            ((word &- ones &* 0x20) & ~word | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash)
            & (ones &* 0x80)
        return found == 0 ? 8 : found.trailingZeroBitCount / 8
    }

    package mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let (content, escaped) = try self.skipString(bytes)
        return escaped ? try self.unescape(bytes, content) : try self.text(bytes, content)
    }

    private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
        guard let text = try? UTF8Span(validating: bytes.extracting(range)) else {
            throw JSONError(reason: .invalidText, offset: range.lowerBound)
        }
        return String(copying: text)
    }

    private func unescape(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                index += 1
                continue
            }
            let fault = JSONError(reason: .invalidEscape, offset: index)
            guard index + 1 < range.upperBound else { throw fault }
            let kind = bytes[index + 1]
            index += 2
            switch kind {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(kind)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = Self.scalar(bytes, range, &index) else { throw fault }
                result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            default: throw fault
            }
        }
        guard let text = String(validating: result, as: UTF8.self) else {
            throw JSONError(reason: .invalidText, offset: range.lowerBound)
        }
        return text
    }

    /// The scalar of an escape with four hexadecimal digits, or of a surrogate pair. Half a pair becomes U+FFFD, as browsers do when they write UTF-8.
    static func scalar(_ bytes: Span<UInt8>, _ range: Range<Int>, _ index: inout Int) -> Unicode.Scalar? {
        guard let first = Self.hex(bytes, range, index) else { return nil }
        index += 4
        if let scalar = Unicode.Scalar(first) { return scalar }
        if first < 0xDC00, index + 6 <= range.upperBound, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u"), let second = Self.hex(bytes, range, index + 2),
            (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        {
            index += 6
            return scalar
        }
        return "\u{FFFD}"
    }

    private static func hex(_ bytes: Span<UInt8>, _ range: Range<Int>, _ index: Int) -> UInt32? {
        guard index + 4 <= range.upperBound else { return nil }
        var value: UInt32 = 0
        for offset in 0..<4 {
            let digit: UInt8
            switch bytes[index + offset] {
            case let byte where byte >= 0x30 && byte <= 0x39: digit = byte - 0x30
            case let byte where byte | 0x20 >= 0x61 && byte | 0x20 <= 0x66: digit = (byte | 0x20) - 0x57
            default: return nil
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}

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

extension JSONScanner {
    /// Steps over any value as strictly as the reader reads it, but for the encoding, which is checked as a whole.
    ///
    /// What is open is kept as bits, so nesting costs no stack.
    /// - Parameter depth: how many lists and objects are open around the value.
    package mutating func skipValue(_ bytes: Span<UInt8>, depth outer: Int) throws(JSONError) {
        var depth = outer
        var objects: UInt128 = 0
        while true {
            self.skipBlanks(bytes)
            let first = try self.peek(bytes)
            var isOpen = false
            switch first {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                guard depth <= JSONReader.maximumDepth else { throw self.error(.tooDeep) }
                self.offset += 1
                let isObject = first == UInt8(ascii: "{")
                objects = objects << 1 | (isObject ? 1 : 0)
                isOpen = true
            case UInt8(ascii: "\""): _ = try self.skipString(bytes)
            case UInt8(ascii: "t"): try self.expect("true", bytes)
            case UInt8(ascii: "f"): try self.expect("false", bytes)
            case UInt8(ascii: "n"): try self.expect("null", bytes)
            default: try self.skipNumber(bytes)
            }
            // Ends what is complete, until something else has to follow.
            while true {
                guard depth > outer else { return }
                let isObject = objects & 1 == 1
                if self.take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), bytes) {
                    depth -= 1
                    objects >>= 1
                    isOpen = false
                    continue
                }
                guard isOpen || self.take(UInt8(ascii: ","), bytes) else { throw self.unexpected(bytes) }
                if isObject { try self.skipName(bytes) }
                break
            }
        }
    }

    private mutating func skipName(_ bytes: Span<UInt8>) throws(JSONError) {
        self.skipBlanks(bytes)
        guard try self.peek(bytes) == UInt8(ascii: "\"") else { throw self.unexpected(bytes) }
        _ = try self.skipString(bytes)
        guard self.take(UInt8(ascii: ":"), bytes) else { throw self.unexpected(bytes) }
    }
}
