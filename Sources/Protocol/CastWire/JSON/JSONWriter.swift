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

/// Writes text as a JSON string, a word at a time: JSON within JSON has something to escape every few bytes.
package enum JSONEscaper {
    /// So many bytes are escaped at a time, since memory is made ready for the case that each of them takes six.
    private static let chunk = 1_024

    /// Appends the string with its quotes.
    static func write(_ bytes: Span<UInt8>, to buffer: inout ByteBuffer) {
        buffer.writeInteger(UInt8(ascii: "\""))
        var start = 0
        while start < bytes.count {
            let text = bytes.extracting(start..<min(start + Self.chunk, bytes.count))
            // A word more, since whole words are copied.
            buffer.writeWithUnsafeMutableBytes(
                minimumWritableBytes: 6 * text.count + MemoryLayout<UInt64>.size
            ) { memory in
                text.withUnsafeBytes { Self.escape($0, into: memory) }
            }
            start += text.count
        }
        buffer.writeInteger(UInt8(ascii: "\""))
    }

    /// Writes a text without quotes.
    /// - Parameter memory: six bytes for each of the text, and eight more; whole words are written.
    /// - Returns: how many bytes of the memory count.
    package static func escape(_ text: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer) -> Int {
        guard let source = text.baseAddress, let target = memory.baseAddress else { return 0 }
        var read = 0
        var written = 0
        while read < text.count {
            while read + 8 <= text.count {
                let word = source.loadUnaligned(fromByteOffset: read, as: UInt64.self)
                target.storeBytes(of: word, toByteOffset: written, as: UInt64.self)
                let plain = JSONScanner.countOfPlainBytes(word.littleEndian)
                read += plain
                written += plain
                if plain < 8 { break }
            }
            guard read < text.count else { break }
            let byte = source.load(fromByteOffset: read, as: UInt8.self)
            read += 1
            let (replacement, count) = Self.replacement(for: byte)
            // Up to six bytes, in one store of eight.
            target.storeBytes(of: replacement.littleEndian, toByteOffset: written, as: UInt64.self)
            written += count
        }
        return written
    }

    /// What stands for a byte: its own bytes from the lowest up, and how many they are.
    private static func replacement(for byte: UInt8) -> (bytes: UInt64, count: Int) {
        let backslash = UInt64(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): return (backslash | UInt64(byte) << 8, 2)
        case 0x0A: return (backslash | UInt64(UInt8(ascii: "n")) << 8, 2)
        case 0x0D: return (backslash | UInt64(UInt8(ascii: "r")) << 8, 2)
        case 0x09: return (backslash | UInt64(UInt8(ascii: "t")) << 8, 2)
        case 0..<0x20:
            let digit = byte & 0x0F
            let low = digit < 10 ? digit + 0x30 : digit + 0x57
            let high = UInt64(0x30 + byte >> 4)
            // \u00 and two digits.
            return (0x3030_755C | high << 32 | UInt64(low) << 40, 6)
        default: return (UInt64(byte), 1)
        }
    }
}
