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
        buffer.writeInteger(UInt8(ascii: "\""))
        if text.utf8.contains(where: Self.needsEscape) {
            for byte in text.utf8 {
                if Self.needsEscape(byte) {
                    Self.writeEscaped(byte, to: &buffer)
                } else {
                    buffer.writeInteger(byte)
                }
            }
        } else {
            buffer.writeString(text)
        }
        buffer.writeInteger(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func writeEscaped(_ byte: UInt8, to buffer: inout ByteBuffer) {
        buffer.writeInteger(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): buffer.writeInteger(byte)
        case 0x0A: buffer.writeInteger(UInt8(ascii: "n"))
        case 0x0D: buffer.writeInteger(UInt8(ascii: "r"))
        case 0x09: buffer.writeInteger(UInt8(ascii: "t"))
        default:
            let digits = String(byte, radix: 16)
            buffer.writeString("u" + String(repeating: "0", count: 4 - digits.count) + digits)
        }
    }
}
