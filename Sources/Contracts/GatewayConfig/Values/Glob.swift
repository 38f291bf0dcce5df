/// A pattern in which `*` stands for any run of characters and `?` for exactly one; everything else is itself.
package struct Glob: Sendable, Hashable, CustomStringConvertible {
    package let pattern: String

    /// Makes a glob; every text is a valid one.
    package init(_ pattern: String) {
        self.pattern = pattern
    }

    package var description: String { self.pattern }

    /// True if the whole of `text` fits the pattern; upper and lower case differ.
    ///
    /// Takes at most pattern length × text length steps: a failed match returns only to the latest star.
    package func matches(_ text: String) -> Bool {
        let pattern = Array(self.pattern.unicodeScalars)
        let text = Array(text.unicodeScalars)
        var patternIndex = 0
        var textIndex = 0
        var star: (pattern: Int, text: Int)?
        while textIndex < text.count {
            if patternIndex < pattern.count, pattern[patternIndex] == "*" {
                star = (patternIndex, textIndex)
                patternIndex += 1
            } else if patternIndex < pattern.count,
                pattern[patternIndex] == "?" || pattern[patternIndex] == text[textIndex]
            {
                patternIndex += 1
                textIndex += 1
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                patternIndex = last.pattern + 1
                textIndex = last.text + 1
            } else {
                return false
            }
        }
        return pattern[patternIndex...].allSatisfy { $0 == "*" }
    }
}

extension Glob: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self.init(value) }

    /// True if the pattern stands for other texts than itself.
    package var hasWildcards: Bool { self.pattern.unicodeScalars.contains { $0 == "*" || $0 == "?" } }
}
