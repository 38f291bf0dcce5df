/// A text with placeholders, taken apart: `0.0.0.0:{n+8100}` is a text and a sum.
///
/// `{name}` stands for a value, `{n+8100}` for a sum of whole numbers; `{{` and `}}` are plain braces. What variables of the
/// environment have brought in is text and nothing else.
struct PlaceholderText {
    enum Part: Equatable {
        /// Text that stays as it is.
        case text(String)
        /// A placeholder to fill in: names and whole numbers, to be added up when there are several.
        case placeholder([Term], written: String)
    }

    enum Term: Equatable {
        case name(String)
        case number(Int)
    }

    /// The reason a text cannot be taken apart.
    struct Malformed: Error {
        /// The fault, as a sentence begins.
        var words: String
        /// The remedy.
        var hint: String
        /// The part that is meant.
        var written: String
    }

    /// The parts in their order; no two texts follow each other.
    private(set) var parts: [Part] = []

    /// Takes a text apart.
    /// - Parameter literal: the ranges of UTF-8 bytes in which braces mean nothing, in order.
    init(_ text: String, literal: [Range<Int>]) throws(Malformed) {
        let bytes = Array(text.utf8)
        var plain: [UInt8] = []
        var index = 0
        let isLiteral = { (index: Int) in literal.contains { $0.contains(index) } }
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}"), !isLiteral(index) else {
                plain.append(byte)
                index += 1
                continue
            }
            if index + 1 < bytes.count, bytes[index + 1] == byte, !isLiteral(index + 1) {
                plain.append(byte)
                index += 2
                continue
            }
            guard byte == UInt8(ascii: "{") else {
                throw Malformed(words: "a '}' without its '{'", hint: "a plain brace is written '}}'", written: "}")
            }
            let rest = bytes[index...]
            // What a variable has brought in is no part of a placeholder.
            guard let end = rest.firstIndex(of: UInt8(ascii: "}")), !(index...end).contains(where: isLiteral) else {
                throw Malformed(
                    words: "a '{' without its '}'", hint: "a plain brace is written '{{'",
                    written: String(decoding: rest, as: UTF8.self))
            }
            if !plain.isEmpty { self.parts.append(.text(String(decoding: plain, as: UTF8.self))) }
            plain = []
            let written = String(decoding: bytes[index...end], as: UTF8.self)
            self.parts.append(.placeholder(try Self.terms(written), written: written))
            index = end + 1
        }
        if !plain.isEmpty { self.parts.append(.text(String(decoding: plain, as: UTF8.self))) }
    }

    /// True if a text is a name that a placeholder may have: a letter or `_`, then letters, digits and `_`.
    static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first), text.utf8.count <= 64 else { return false }
        return text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
        }
    }

    private static func terms(_ written: String) throws(Malformed) -> [Term] {
        let malformed = Malformed(
            words: "'\(written.shown)' is no placeholder",
            hint: "write {name}, or a sum such as {n+8100}; a plain brace is written '{{'", written: written)
        var terms: [Term] = []
        for part in written.dropFirst().dropLast().split(separator: "+", omittingEmptySubsequences: false) {
            let word = part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            let text = Substring(String(word))
            if Self.isName(text) {
                terms.append(.name(String(text)))
            } else if (1...9).contains(text.utf8.count), let number = Int(text), text.utf8.allSatisfy(Self.isDigit) {
                terms.append(.number(number))
            } else {
                throw malformed
            }
        }
        // A number alone needs no braces, and is more likely a slip.
        guard terms.contains(where: { if case .name = $0 { true } else { false } }) else { throw malformed }
        return terms
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
