/// The ids of messages: `msg_` and 26 characters of Crockford's base 32, made of a number that each outbox has from its beginning
/// and the sequence of the message. So an id stays the same whatever happens, and leads to its message.
struct OutboxID: Hashable, Sendable {
    private static let prefix = "msg_"
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let length = 26

    let stamp: UInt64
    let sequence: Int64

    init(stamp: UInt64, sequence: Int64) {
        self.stamp = stamp
        self.sequence = sequence
    }

    /// An id that leads to no message of an outbox: of what is sent without one.
    static var random: OutboxID { OutboxID(stamp: .random(in: 0 ... .max), sequence: .random(in: 1 ... .max)) }

    /// Reads an id as ``text`` writes it; nil for anything else.
    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let characters = Array(text.utf8.dropFirst(Self.prefix.utf8.count))
        guard characters.count == Self.length else { return nil }
        var value: UInt128 = 0
        for (place, character) in characters.enumerated() {
            guard let digit = Self.digits.firstIndex(of: character), place > 0 || digit < 8 else { return nil }
            value = value << 5 | UInt128(digit)
        }
        guard let sequence = Int64(exactly: UInt64(truncatingIfNeeded: value)) else { return nil }
        self.init(stamp: UInt64(truncatingIfNeeded: value >> 64), sequence: sequence)
    }

    /// The id as it is written.
    var text: String {
        let value = UInt128(self.stamp) << 64 | UInt128(UInt64(bitPattern: self.sequence))
        let characters = (0..<Self.length).map { place in
            Self.digits[Int(truncatingIfNeeded: value >> UInt128(5 * (Self.length - 1 - place))) & 31]
        }
        return Self.prefix + String(decoding: characters, as: UTF8.self)
    }
}
