public import NIOCore

/// Writes JSON without blanks (RFC 8259).
public enum JSONWriter {
    /// Appends a value. Text is written as UTF-8; only what the RFC demands is escaped.
    public static func write(_ value: JSONValue, to buffer: inout ByteBuffer) {
        switch value {
        case .null: buffer.writeStaticString("null")
        case .bool(true): buffer.writeStaticString("true")
        case .bool(false): buffer.writeStaticString("false")
        case .number(let number): buffer.writeString(number.literal)
        case .string(let text): Self.write(text, to: &buffer)
        case .array(let elements):
            buffer.writeInteger(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { buffer.writeInteger(UInt8(ascii: ",")) }
                Self.write(element, to: &buffer)
            }
            buffer.writeInteger(UInt8(ascii: "]"))
        case .object(let object):
            buffer.writeInteger(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { buffer.writeInteger(UInt8(ascii: ",")) }
                Self.write(member.name, to: &buffer)
                buffer.writeInteger(UInt8(ascii: ":"))
                Self.write(member.value, to: &buffer)
            }
            buffer.writeInteger(UInt8(ascii: "}"))
        }
    }

    /// The value as text on one line.
    public static func text(_ value: JSONValue) -> String {
        var buffer = ByteBuffer()
        Self.write(value, to: &buffer)
        return String(buffer: buffer)
    }

    private static func write(_ text: String, to buffer: inout ByteBuffer) {
        Self.write(text: text.utf8Span.span, to: &buffer)
    }

    /// Appends text that is UTF-8 as a string.
    package static func write(text bytes: Span<UInt8>, to buffer: inout ByteBuffer) {
        JSONEscaper.write(bytes, to: &buffer)
    }
}
