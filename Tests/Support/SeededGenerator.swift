/// Random numbers that are the same in every run (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Starts a sequence; equal seeds give equal sequences.
    package init(seed: UInt64) {
        self.state = seed
    }

    /// The next number.
    package mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension SeededGenerator {
    /// A number of the range.
    package mutating func int(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &self)
    }

    /// True once in `count` times.
    package mutating func once(in count: Int) -> Bool {
        self.int(1...count) == 1
    }

    /// At most so many bytes.
    package mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<self.int(0...count)).map { _ in UInt8(truncatingIfNeeded: self.next()) }
    }

    /// Text of ASCII, control characters, quotes, and scalars of two, three and four bytes.
    package mutating func text(upTo count: Int) -> String {
        let alphabet: [Character] = [
            "a", "Z", "0", " ", "\"", "\\", "/", "\n", "\t", "\u{0}", "\u{1F}", "\u{7F}", "é", "߿", "€", "\u{FFFD}",
            "\u{FFFF}", "𝄞", "\u{10FFFF}", "{", "}", "[", "]", ":", ",",
        ]
        return String((0..<self.int(0...count)).map { _ in alphabet[self.int(0...(alphabet.count - 1))] })
    }

    /// One random change: a byte altered, removed, put in, or the end cut off.
    package mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return [UInt8(truncatingIfNeeded: self.next())] }
        var bytes = bytes
        let index = self.int(0...(bytes.count - 1))
        switch self.int(0...5) {
        case 0: bytes[index] = UInt8(truncatingIfNeeded: self.next())
        case 1: bytes[index] ^= 1 << UInt8(self.int(0...7))
        case 2: bytes.remove(at: index)
        case 3: bytes.insert(UInt8(truncatingIfNeeded: self.next()), at: index)
        case 4: bytes.removeLast(bytes.count - index)
        default: bytes[index] = [0x00, 0x7F, 0x80, 0xFF, 0x0B, 0x0C][self.int(0...5)]
        }
        return bytes
    }
}
