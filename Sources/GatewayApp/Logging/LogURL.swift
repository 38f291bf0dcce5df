internal import GatewayConfig

/// Hides in URLs what may be secret: the user, the values of the query and of path parameters, the fragment.
///
/// Which values are secret cannot be told, since signatures and tokens have any name; so all are hidden, and the names stay. A
/// secret within the path is not found. Texts without a URL stay as they are.
enum LogURL {
    private static let separator = "://"

    /// The text with its URLs redacted; doing so twice changes nothing more.
    static func redacted(_ text: String) -> String {
        if text.prefix(5).lowercased() == "data:" { return "data:\(Secret.redacted)" }
        guard text.contains(Self.separator) else { return text }
        var result = ""
        var rest = text[...]
        while let found = rest.firstRange(of: Self.separator) {
            result += rest[..<found.upperBound]
            rest = rest[found.upperBound...]
            let end = rest.firstIndex { $0.isWhitespace || $0 == "\"" || $0 == "<" || $0 == ">" } ?? rest.endIndex
            result += Self.redactedTail(rest[..<end])
            rest = rest[end...]
        }
        return result + rest
    }

    /// What stands behind the scheme.
    private static func redactedTail(_ tail: Substring) -> String {
        let authority = tail.prefix { !"/?#\\".contains($0) }
        let path = tail[authority.endIndex...]
        let parameters = path.firstIndex { "?#;&".contains($0) } ?? path.endIndex
        return Self.redactedAuthority(authority) + path[..<parameters] + Self.redactedItems(path[parameters...])
    }

    private static func redactedAuthority(_ authority: Substring) -> String {
        if let at = authority.lastIndex(of: "@") { return Secret.redacted + authority[at...] }
        // The end of a user's name that was cut: a port is a number.
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]"),
            !authority[authority.index(after: colon)...].allSatisfy(\.isNumber)
        else { return String(authority) }
        return Secret.redacted
    }

    /// Items with a separator before each.
    private static func redactedItems(_ items: Substring) -> String {
        var result = ""
        var rest = items
        while let separator = rest.popFirst() {
            let item = rest.prefix { !"?#;&".contains($0) }
            rest = rest[item.endIndex...]
            result.append(separator)
            if let equals = item.firstIndex(of: "=") {
                result += item[...equals] + Secret.redacted
            } else if !item.isEmpty {
                result += Secret.redacted
            }
        }
        return result
    }
}
