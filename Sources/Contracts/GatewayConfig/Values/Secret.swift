/// A value that must never appear in a log, a message or a diagnostic.
///
/// Its descriptions are always `«redacted»`; code that needs the text calls ``reveal()``, which is easy to find in a review.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text that every description of a secret prints.
    package static let redacted = "«redacted»"

    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The secret itself, for the one place that sends it.
    package func reveal() -> String {
        self.text
    }

    /// Always `«redacted»`.
    package var description: String { Self.redacted }

    /// Always `«redacted»`.
    package var debugDescription: String { Self.redacted }

    /// A mirror without children, so that `dump` and test failures print nothing either.
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension Secret {
    /// The words for secrets, without `_` and `-`.
    private static let words = [
        "password", "passphrase", "token", "secret", "credentials", "authorization", "cookie", "privatekey", "apikey",
    ]

    /// A text without the users and passwords of the URLs in it: `mqtt://«redacted»@broker`.
    package static func hidingUsers(in text: String) -> String {
        let separator = "://"
        guard text.contains(separator), text.contains("@") else { return text }
        var result = ""
        var rest = text[...]
        while let found = rest.firstRange(of: separator) {
            result += rest[..<found.upperBound]
            rest = rest[found.upperBound...]
            let authority = rest.prefix { !"/?#\\\"'<> \t\n\r".contains($0) }
            if let at = authority.lastIndex(of: "@") {
                result += Self.redacted
                rest = rest[at...]
            }
        }
        return result + rest
    }

    /// True if a member of data that others have given a shape is taken for a secret: its name ends in a word for one, such as
    /// `apiToken`, `client_secret` or `PASSWORD`.
    package static func isNamed(_ name: String) -> Bool {
        let bare = name.lowercased().filter { $0 != "_" && $0 != "-" }
        return Self.words.contains(where: bare.hasSuffix)
    }
}
