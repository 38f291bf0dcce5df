import NIOCore

/// Writes text as a JSON string, a word at a time: JSON within JSON has something to escape every few bytes.
struct JSONEscaper {
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    private init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = memory
    }

    /// Appends the string with its quotes.
    static func write(_ bytes: Span<UInt8>, to buffer: inout ByteBuffer) {
        let length = Self.length(of: bytes)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: length) { memory in
            var escaper = Self(memory)
            escaper.write(UInt8(ascii: "\""))
            escaper.run(bytes)
            escaper.write(UInt8(ascii: "\""))
            return escaper.count
        }
    }

    /// How many bytes the string takes at most, and a word more.
    private static func length(of bytes: Span<UInt8>) -> Int {
        var length = bytes.count + 2 + MemoryLayout<UInt64>.size
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            length += Self.exactly(word, UInt8(ascii: "\"")).nonzeroBitCount
            length += Self.exactly(word, UInt8(ascii: "\\")).nonzeroBitCount
            length += 5 * Self.controls(word).nonzeroBitCount
            index += 8
        }
        return length + 5 * (bytes.count - index)
    }

    /// The high bit of every byte of the word that is this one.
    private static func exactly(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let low: UInt64 = self.ones &* 0x7F
        let difference = word ^ (self.ones &* UInt64(byte))
        return ~((difference & low) &+ low | difference | low)
    }

    /// The high bit of every byte of the word that is below 0x20.
    private static func controls(_ word: UInt64) -> UInt64 {
        let low: UInt64 = self.ones &* 0x7F
        return ~((word & low) &+ (self.ones &* 0x60) | word) & (self.ones &* 0x80)
    }

    private mutating func run(_ bytes: Span<UInt8>) {
        var index = 0
        while index < bytes.count {
            if index + 8 <= bytes.count, self.count + 8 <= self.memory.count {
                let word = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
                self.memory.storeBytes(of: word, toByteOffset: self.count, as: UInt64.self)
                let little = word.littleEndian
                let found =
                    Self.exactly(little, UInt8(ascii: "\"")) | Self.exactly(little, UInt8(ascii: "\\"))
                    | Self.controls(little)
                let plain = found == 0 ? 8 : found.trailingZeroBitCount / 8
                index += plain
                self.count += plain
                if plain == 8 { continue }
            }
            self.writeEscaped(bytes[index])
            index += 1
        }
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
