package import NIOCore

/// Base 64 of RFC 4648, section 4, with padding.
package enum Base64 {
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    /// Appends the text of bytes.
    package static func write(_ bytes: ByteBuffer, to buffer: inout ByteBuffer) {
        buffer.reserveCapacity(minimumWritableBytes: (bytes.readableBytes + 2) / 3 * 4)
        Self.alphabet.withUTF8Buffer { alphabet in
            var word: UInt32 = 0
            var count = 0
            for byte in bytes.readableBytesView {
                word = word << 8 | UInt32(byte)
                count += 1
                if count == 3 {
                    for shift in [18, 12, 6, 0] { buffer.writeInteger(alphabet[Int(word >> UInt32(shift) & 63)]) }
                    word = 0
                    count = 0
                }
            }
            guard count > 0 else { return }
            word <<= UInt32(8 * (3 - count))
            for place in 0..<4 {
                let letter = alphabet[Int(word >> UInt32(18 - 6 * place) & 63)]
                buffer.writeInteger(place <= count ? letter : UInt8(ascii: "="))
            }
        }
    }

    /// The text of bytes.
    package static func text(_ bytes: ByteBuffer) -> String {
        var buffer = ByteBuffer()
        Self.write(bytes, to: &buffer)
        return String(buffer: buffer)
    }

    /// The bytes of a text; nil when it is malformed.
    package static func bytes(_ text: some Collection<UInt8>) -> ByteBuffer? {
        guard text.count % 4 == 0 else { return nil }
        var buffer = ByteBufferAllocator().buffer(capacity: text.count / 4 * 3)
        var word: UInt32 = 0
        var count = 0
        var padding = 0
        for letter in text {
            if letter == UInt8(ascii: "=") {
                padding += 1
                word <<= 6
            } else {
                guard padding == 0, let value = Self.value(letter) else { return nil }
                word = word << 6 | value
            }
            count += 1
            guard count == 4 else { continue }
            for place in 0..<max(0, 3 - padding) {
                buffer.writeInteger(UInt8(truncatingIfNeeded: word >> UInt32(16 - 8 * place)))
            }
            if padding > 0 {
                // Padding ends the text, and the bits that it hides are zero, so that every text has one meaning.
                let hidden: UInt32 = padding == 1 ? 0xFF : 0xFFFF
                guard padding <= 2, word & hidden == 0 else { return nil }
            }
            word = 0
            count = 0
        }
        return buffer
    }

    private static func value(_ letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
