/// The texts that a key accepts.
package struct ConfigTextRule: Sendable, Equatable {
    /// The characters as a class of ASCII characters and ranges (`a-z0-9-`); nil allows all but control characters.
    package let allowed: String?
    /// The number of bytes of UTF-8 in a file, and of code points in JSON.
    package let length: ClosedRange<Int>
    /// The prefix of a path in a text that names a file; nil for texts that name none.
    package let pathPrefix: String?
    package let isSecret: Bool

    package init(
        allowed: String?, length: ClosedRange<Int>, pathPrefix: String? = nil, isSecret: Bool = false
    ) {
        self.allowed = allowed
        self.length = length
        self.pathPrefix = pathPrefix
        self.isSecret = isSecret
    }

    /// Describes the rule for people: `1 to 32 of a-z 0-9 -`.
    /// - Parameter isJSON: whether the text comes in JSON, where code points are counted.
    func summary(inJSON isJSON: Bool = false) -> String {
        let bytes = self.length.lowerBound == 0 ? "at most \(self.length.upperBound)" : Self.words(self.length)
        guard self.allowed != nil else { return "\(bytes) \(isJSON ? "characters" : "bytes of text")" }
        return "\(bytes) of the characters \(self.parts.joined(separator: " "))"
    }

    /// The rule as a regular expression; nil when it is only about the length.
    var pattern: String? {
        self.allowed.map { "^[\($0)]{\(self.length.lowerBound),\(self.length.upperBound)}$" }
    }

    /// True if every character of a text is allowed.
    func allowsCharacters(of text: String) -> Bool {
        guard self.allowed != nil else {
            return text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        }
        let ranges = self.parts.map { Array($0.utf8) }
        return text.utf8.allSatisfy { byte in
            ranges.contains { range in
                range.count == 3 ? (range[0] <= byte && byte <= range[2]) : range.contains(byte)
            }
        }
    }

    /// The ranges and single characters of the class.
    private var parts: [String] {
        var parts: [String] = []
        var rest = Substring(self.allowed ?? "")
        while let first = rest.popFirst() {
            if rest.first == "-", rest.count > 1 {
                parts.append("\(first)\(rest.prefix(2))")
                rest.removeFirst(2)
            } else {
                parts.append(String(first))
            }
        }
        return parts
    }

    private static func words(_ range: ClosedRange<Int>) -> String {
        "\(range.lowerBound) to \(range.upperBound)"
    }
}
