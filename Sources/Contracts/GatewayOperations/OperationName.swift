/// The name of an operation: its family, a point, and what it does, such as `session.start`.
///
/// Names are lower case with underscores. They are the same on every way in, and never change their meaning.
package struct OperationName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The name as it is written.
    package let rawValue: String

    /// Takes a name; nil for a text that is none.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isName = parts.count >= 2 && text.utf8.count <= 64 && parts.allSatisfy(Self.isWord)
        guard isName else { return nil }
        self.rawValue = text
    }

    /// Takes a name of the source code as it is; a test checks the names of all operations.
    package init(stringLiteral text: String) {
        self.rawValue = text
    }

    private static func isWord(_ part: Substring) -> Bool {
        guard let first = part.utf8.first, (0x61...0x7A).contains(first) else { return false }
        return part.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D
        }
    }

    /// What stands before the first point: `session`.
    package var family: String { String(self.rawValue.prefix { $0 != "." }) }

    package var description: String { self.rawValue }
}
