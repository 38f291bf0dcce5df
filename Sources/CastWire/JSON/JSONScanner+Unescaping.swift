package import NIOCore

extension JSONScanner {
    /// Reads a string as the UTF-8 bytes that it stands for: 0.3 ns a byte where a `String` takes 3.
    package mutating func stringBytes(_ bytes: Span<UInt8>) throws(JSONError) -> ByteBuffer {
        let (content, escaped) = try self.skipString(bytes)
        let text = bytes.extracting(content)
        // Escapes are ASCII, so what they stand for cannot mend or break the encoding around them.
        guard (try? UTF8Span(validating: text)) != nil else {
            throw JSONError(reason: .invalidText, offset: content.lowerBound)
        }
        // Nothing is longer than its escape. Eight bytes more, since whole words are copied.
        var result = ByteBufferAllocator().buffer(capacity: content.count + MemoryLayout<UInt64>.size)
        guard escaped else {
            result.writeBytes(text.bytes)
            return result
        }
        var fault: Int?
        result.writeWithUnsafeMutableBytes(minimumWritableBytes: content.count + MemoryLayout<UInt64>.size) { memory in
            var unescaper = Unescaper(memory)
            fault = unescaper.run(text)
            return unescaper.count
        }
        if let fault { throw JSONError(reason: .invalidEscape, offset: content.lowerBound + fault) }
        return result
    }

    /// Writes what a string with escapes stands for into memory that is at least a word longer than the string.
    private struct Unescaper {
        private let memory: UnsafeMutableRawBufferPointer
        private(set) var count = 0

        init(_ memory: UnsafeMutableRawBufferPointer) {
            self.memory = memory
        }

        /// - Returns: where an escape is malformed, or nil.
        mutating func run(_ text: Span<UInt8>) -> Int? {
            var index = 0
            while index < text.count {
                index += self.copyPlainBytes(text, from: index)
                guard index < text.count else { return nil }
                guard text[index] == UInt8(ascii: "\\") else {
                    self.write(text[index])
                    index += 1
                    continue
                }
                let start = index
                guard index + 1 < text.count else { return start }
                index += 2
                switch text[index - 1] {
                case UInt8(ascii: "\""): self.write(UInt8(ascii: "\""))
                case UInt8(ascii: "\\"): self.write(UInt8(ascii: "\\"))
                case UInt8(ascii: "/"): self.write(UInt8(ascii: "/"))
                case UInt8(ascii: "b"): self.write(0x08)
                case UInt8(ascii: "f"): self.write(0x0C)
                case UInt8(ascii: "n"): self.write(0x0A)
                case UInt8(ascii: "r"): self.write(0x0D)
                case UInt8(ascii: "t"): self.write(0x09)
                case UInt8(ascii: "u"):
                    guard let scalar = JSONScanner.scalar(text, 0..<text.count, &index) else { return start }
                    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { self.write(byte) }
                default: return start
                }
            }
            return nil
        }

        /// Copies words as long as there are any, and counts what stands before a backslash.
        private mutating func copyPlainBytes(_ text: Span<UInt8>, from start: Int) -> Int {
            let ones: UInt64 = 0x0101_0101_0101_0101
            var index = start
            while index + 8 <= text.count, self.count + 8 <= self.memory.count {
                let word = text.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
                self.memory.storeBytes(of: word, toByteOffset: self.count, as: UInt64.self)
                let backslash = word.littleEndian ^ (ones &* UInt64(UInt8(ascii: "\\")))
                let found = (backslash &- ones) & ~backslash & (ones &* 0x80)
                let plain = found == 0 ? 8 : found.trailingZeroBitCount / 8
                index += plain
                self.count += plain
                if plain < 8 { break }
            }
            return index - start
        }

        private mutating func write(_ byte: UInt8) {
            guard self.count < self.memory.count else { return }
            self.memory[self.count] = byte
            self.count += 1
        }
    }
}
