import CastWire
import NIOCore

/// Writes a line into memory whose size was reckoned before, piece by piece without asking the buffer each time: 15,000
/// instructions a message become 6,000.
///
/// Nothing that a peer chose is an offset here, and a step beyond the end writes nothing.
struct LineCursor {
    private let memory: UnsafeMutableRawBufferPointer
    /// How many bytes were written.
    private(set) var count = 0

    init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = memory
    }

    /// How much a text takes at most, with its quotes.
    static func room(for text: String?) -> Int {
        guard let text else { return 0 }
        return Self.room(forBytes: text.utf8.count)
    }

    /// How much so many bytes of text take at most.
    static func room(forBytes count: Int) -> Int { 6 * count + 2 + MemoryLayout<UInt64>.size }

    /// How much a whole number takes at most.
    static let roomForNumber = 20

    /// Text that is JSON already.
    mutating func raw(_ text: StaticString) {
        guard self.count + text.utf8CodeUnitCount <= self.memory.count, let target = self.memory.baseAddress else {
            return
        }
        (target + self.count).copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
        self.count += text.utf8CodeUnitCount
    }

    /// A string, with quotes and escapes.
    mutating func string(_ text: String) {
        self.string(text.utf8Span.span)
    }

    /// A string, with quotes and escapes, from its UTF-8.
    mutating func string(_ text: Span<UInt8>) {
        guard self.count + Self.room(forBytes: text.count) <= self.memory.count else { return }
        self.memory[self.count] = UInt8(ascii: "\"")
        let rest = UnsafeMutableRawBufferPointer(rebasing: self.memory[(self.count + 1)...])
        let length = text.withUnsafeBytes { JSONEscaper.escape($0, into: rest) }
        self.memory[self.count + 1 + length] = UInt8(ascii: "\"")
        self.count += length + 2
    }

    /// A whole number in decimal digits.
    mutating func number(_ value: Int) {
        guard self.count + Self.roomForNumber <= self.memory.count else { return }
        if value < 0 { self.raw("-") }
        var rest = value.magnitude
        var digits = 1
        var limit: UInt = 10
        while rest >= limit, digits < 20 {
            digits += 1
            let (next, isOver) = limit.multipliedReportingOverflow(by: 10)
            if isOver { break }
            limit = next
        }
        for place in stride(from: digits - 1, through: 0, by: -1) {
            self.memory[self.count + place] = UInt8(truncatingIfNeeded: rest % 10) + 0x30
            rest /= 10
        }
        self.count += digits
    }

    /// An id, a number or a string.
    mutating func id(_ id: PluginRequestID) {
        switch id {
        case .number(let value): self.number(value)
        case .string(let text): self.string(text)
        }
    }

    /// How much an id takes at most.
    static func room(for id: PluginRequestID) -> Int {
        switch id {
        case .number: Self.roomForNumber
        case .string(let text): Self.room(for: text)
        }
    }
}
