public import NIOCore

/// Reads JSON (RFC 8259) into values, bounds-checked, and limited in depth and in the number of values.
public enum JSONReader {
    /// Nesting beyond this is refused, so a hostile text costs no stack.
    public static let maximumDepth = 128
    /// More values than this are refused, members and elements counted, where a caller says nothing else: a value takes some ten times the
    /// memory of the two bytes that it may be written with.
    public static let maximumValues = 200_000

    /// Reads one value that fills the buffer; blanks around it are allowed.
    /// - Parameter maximumValues: how many values there may be in all; more only for a text whose length is bounded elsewhere.
    /// - Throws: ``JSONError`` with the byte at which the text stops being JSON, or has too many values.
    public static func read(
        _ buffer: ByteBuffer, maximumValues: Int = JSONReader.maximumValues
    ) throws(JSONError) -> JSONValue {
        try Self.read(buffer.readableBytesUInt8Span, maximumValues)
    }

    /// Reads one value that fills the text.
    /// - Throws: ``JSONError`` with the byte at which the text stops being JSON, or has too many values.
    public static func read(_ text: String) throws(JSONError) -> JSONValue {
        try Self.read(ByteBuffer(string: text))
    }

    private static func read(_ bytes: Span<UInt8>, _ maximumValues: Int) throws(JSONError) -> JSONValue {
        var scanner = JSONScanner()
        scanner.valuesLeft = maximumValues
        let value = try Self.value(&scanner, bytes, depth: 0)
        scanner.skipBlanks(bytes)
        guard scanner.offset == bytes.count else { throw scanner.error(.trailingBytes) }
        return value
    }

    static func value(
        _ scanner: inout JSONScanner, _ bytes: Span<UInt8>, depth: Int
    ) throws(JSONError) -> JSONValue {
        scanner.valuesLeft -= 1
        guard scanner.valuesLeft >= 0 else { throw scanner.error(.tooMany) }
        scanner.skipBlanks(bytes)
        switch try scanner.peek(bytes) {
        case UInt8(ascii: "{"): return .object(try Self.object(&scanner, bytes, depth: depth + 1))
        case UInt8(ascii: "["): return .array(try Self.array(&scanner, bytes, depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try scanner.string(bytes))
        case UInt8(ascii: "t"):
            try scanner.expect("true", bytes)
            return .bool(true)
        case UInt8(ascii: "f"):
            try scanner.expect("false", bytes)
            return .bool(false)
        case UInt8(ascii: "n"):
            try scanner.expect("null", bytes)
            return .null
        default: return .number(try scanner.number(bytes))
        }
    }

    private static func array(
        _ scanner: inout JSONScanner, _ bytes: Span<UInt8>, depth: Int
    ) throws(JSONError) -> [JSONValue] {
        guard depth <= Self.maximumDepth else { throw scanner.error(.tooDeep) }
        scanner.offset += 1
        var elements: [JSONValue] = []
        if scanner.take(UInt8(ascii: "]"), bytes) { return elements }
        while true {
            elements.append(try Self.value(&scanner, bytes, depth: depth))
            if scanner.take(UInt8(ascii: "]"), bytes) { return elements }
            guard scanner.take(UInt8(ascii: ","), bytes) else { throw scanner.unexpected(bytes) }
        }
    }

    private static func object(
        _ scanner: inout JSONScanner, _ bytes: Span<UInt8>, depth: Int
    ) throws(JSONError) -> JSONObject {
        guard depth <= Self.maximumDepth else { throw scanner.error(.tooDeep) }
        scanner.offset += 1
        var members: [(name: String, value: JSONValue)] = []
        if scanner.take(UInt8(ascii: "}"), bytes) { return JSONObject(parsed: members) }
        while true {
            scanner.skipBlanks(bytes)
            guard try scanner.peek(bytes) == UInt8(ascii: "\"") else { throw scanner.unexpected(bytes) }
            let name = try scanner.string(bytes)
            guard scanner.take(UInt8(ascii: ":"), bytes) else { throw scanner.unexpected(bytes) }
            members.append((name: name, value: try Self.value(&scanner, bytes, depth: depth)))
            if scanner.take(UInt8(ascii: "}"), bytes) { return JSONObject(parsed: members) }
            guard scanner.take(UInt8(ascii: ","), bytes) else { throw scanner.unexpected(bytes) }
        }
    }
}

/// Why a text is not JSON, with the byte at which it stops being so.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of fault.
    public enum Reason: String, Hashable, Sendable {
        case unexpectedEnd = "the text ends too early"
        case unexpectedByte = "an unexpected character"
        case invalidNumber = "a malformed number"
        case invalidEscape = "a malformed escape"
        case invalidText = "text that is not UTF-8"
        case tooDeep = "nesting beyond the limit"
        case tooMany = "more values than the limit"
        case trailingBytes = "something behind the value"
    }

    /// What is wrong.
    public let reason: Reason
    /// Where, counted in bytes from 0.
    public let offset: Int

    /// One line for a log or an answer.
    public var description: String { "\(self.reason.rawValue) at byte \(self.offset)" }
}
