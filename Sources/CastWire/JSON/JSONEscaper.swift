import NIOCore

/// Writes text as a JSON string, a word at a time: JSON within JSON has something to escape every few bytes.
struct JSONEscaper {
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    private init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = memory
    }

    /// So many bytes are escaped at a time, since memory is made ready for the case that each of them takes six.
    private static let chunk = 1_024

    /// Appends the string with its quotes.
    static func write(_ bytes: Span<UInt8>, to buffer: inout ByteBuffer) {
        buffer.writeInteger(UInt8(ascii: "\""))
        var start = 0
        while start < bytes.count {
            let text = bytes.extracting(start..<min(start + Self.chunk, bytes.count))
            // A word more, since whole words are copied.
            buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 6 * text.count + MemoryLayout<UInt64>.size) {
                memory in
                var escaper = Self(memory)
                escaper.run(text)
                return escaper.count
            }
            start += text.count
        }
        buffer.writeInteger(UInt8(ascii: "\""))
    }

    private mutating func run(_ bytes: Span<UInt8>) {
        var index = 0
        while index < bytes.count {
            if index + 8 <= bytes.count, self.count + 8 <= self.memory.count {
                let word = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
                self.memory.storeBytes(of: word, toByteOffset: self.count, as: UInt64.self)
                let plain = Self.countOfPlainBytes(word.littleEndian)
                index += plain
                self.count += plain
                if plain == 8 { continue }
            }
            self.writeEscaped(bytes[index])
            index += 1
        }
    }

    /// How many bytes stand before the first that has to be escaped.
    private static func countOfPlainBytes(_ word: UInt64) -> Int {
        let quote = word ^ (Self.ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (Self.ones &* UInt64(UInt8(ascii: "\\")))
        let found =
            ((word &- Self.ones &* 0x20) & ~word | (quote &- Self.ones) & ~quote | (backslash &- Self.ones) & ~backslash)
            & (Self.ones &* 0x80)
        return found == 0 ? 8 : found.trailingZeroBitCount / 8
    }

    private mutating func writeEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): self.write(UInt8(ascii: "\\"), byte)
        case 0x0A: self.write(UInt8(ascii: "\\"), UInt8(ascii: "n"))
        case 0x0D: self.write(UInt8(ascii: "\\"), UInt8(ascii: "r"))
        case 0x09: self.write(UInt8(ascii: "\\"), UInt8(ascii: "t"))
        case 0..<0x20:
            self.write(UInt8(ascii: "\\"), UInt8(ascii: "u"))
            self.write(UInt8(ascii: "0"), UInt8(ascii: "0"))
            let digit = byte & 0x0F
            self.write(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"), digit < 10 ? digit + 0x30 : digit + 0x57)
        default: self.write(byte)
        }
    }

    private mutating func write(_ first: UInt8, _ second: UInt8) {
        self.write(first)
        self.write(second)
    }

    private mutating func write(_ byte: UInt8) {
        guard self.count < self.memory.count else { return }
        self.memory[self.count] = byte
        self.count += 1
    }
}
