package import CastWire
import GatewayConfig
import NIOCore

/// Which members of metadata and of message bodies are never printed.
///
/// A rule is a name, `credentials`, or the end of a path, `customData.token`; it counts at any depth, and upper and lower
/// case do not matter. Names that end in a word for a secret are hidden whatever the rules say, and so is what ``LogURL`` hides.
///
/// In a body a text that is JSON is redacted like the body itself; one that may hold members, and cannot be read, is not shown.
struct LogRedaction: Sendable {
    private let rules: [[String]]

    /// Takes `log.redact`.
    init(_ members: [String]) {
        self.rules = members.map { member in member.split(separator: ".").map { $0.lowercased() } }
            .filter { !$0.isEmpty }
    }

    /// A field of a log line without what must not be printed.
    ///
    /// - Parameter path: The names that lead to the value, outermost first; positions in lists do not count.
    func redacted(_ value: JSONValue, at path: [String] = []) -> JSONValue {
        self.redacted(value, at: path) { text, _ in LogURL.redacted(text) }
    }

    /// The value of a message's body without what must not be printed.
    func redacted(body: JSONValue) -> JSONValue {
        self.redacted(body: body, at: [], nesting: 0)
    }

    private func redacted(body: JSONValue, at path: [String], nesting: Int) -> JSONValue {
        self.redacted(body, at: path) { text, path in self.redacted(text, at: path, nesting: nesting) }
    }

    private func redacted(
        _ value: JSONValue, at path: [String], text: (_ text: String, _ path: [String]) -> String
    ) -> JSONValue {
        if self.hides(path) { return .string(Secret.redacted) }
        switch value {
        case .object(let object):
            // A pair of a list of names and values, as headers are often written.
            let label = object.string("name") ?? object.string("key")
            let hidesValue = label.map { self.hides(path + [$0]) } ?? false
            return .object(
                JSONObject(
                    object.members.map { member -> (String, JSONValue) in
                        if hidesValue, member.name.lowercased() == "value" {
                            return (member.name, .string(Secret.redacted))
                        }
                        return (member.name, self.redacted(member.value, at: path + [member.name], text: text))
                    }))
        case .array(let elements): return .array(elements.map { self.redacted($0, at: path, text: text) })
        case .string(let content): return .string(text(content, path))
        default: return value
        }
    }

    /// How often JSON may stand within a text of JSON, to be read.
    private static let maximumNesting = 4

    private func redacted(_ text: String, at path: [String], nesting: Int) -> String {
        let bare = text.unicodeScalars.drop { $0.value <= 0x20 || $0 == "\u{FEFF}" }
        if nesting < Self.maximumNesting, let first = bare.first, ["{", "[", "\""].contains(first),
            let value = try? JSONReader.read(String(Substring(bare)))
        {
            return self.redacted(body: value, at: path, nesting: nesting + 1).text
        }
        // An object of another notation, or JSON that is cut, or nested deeper than it is read.
        if text.contains("{"), text.contains(":") { return "(\(text.utf8.count) bytes)" }
        return LogPairs.redacted(LogURL.redacted(text)) { self.hides(path + [$0]) }
    }

    /// Whether the member at the end of the path is hidden.
    func hides(_ path: [String]) -> Bool {
        guard let name = path.last?.lowercased() else { return false }
        if Secret.isNamed(name) { return true }
        return self.rules.contains { rule in
            rule.last == name && rule.count <= path.count
                && zip(rule, path.suffix(rule.count)).allSatisfy { $0 == $1.lowercased() }
        }
    }
}

/// Renders message bodies for the log as `log.payloads` and `log.redact` allow.
///
///     if let body = payloads.text(of: message.payload) { metadata["payload"] = "\(body)" }
package struct PayloadLog: Sendable {
    /// How many characters of a body are shown.
    package static let shownLength = 2048

    private let isOn: Bool
    private let redaction: LogRedaction

    /// Takes what `gateway.yaml` says.
    package init(_ configuration: LogConfiguration) {
        self.isOn = configuration.payloads
        self.redaction = LogRedaction(configuration.redact)
    }

    /// A body on one line with its secrets hidden; nil when bodies are not to be printed at all.
    ///
    /// Of a body that is not JSON only the length is shown: what in it is secret cannot be told.
    package func text(of payload: CastMessage.Payload) -> String? {
        guard self.isOn else { return nil }
        switch payload {
        case .binary(let bytes): return "\(bytes.readableBytes) bytes"
        case .text(let buffer):
            guard let value = try? JSONReader.read(buffer) else { return "\(buffer.readableBytes) bytes, not JSON" }
            let text = self.redaction.redacted(body: value).text.logSafe
            guard text.count > Self.shownLength else { return text }
            return "\(text.prefix(Self.shownLength))… (\(buffer.readableBytes) bytes)"
        }
    }
}

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

/// Hides the values of `name=value` and `name: value` in texts of any notation: forms, headers, settings.
enum LogPairs {
    /// The text without the values of secrets.
    /// - Parameter isSecret: Whether the value of a name is one.
    static func redacted(_ text: String, isSecret: (String) -> Bool) -> String {
        guard text.contains(where: { $0 == "=" || $0 == ":" }) else { return text }
        var result = ""
        var rest = text[...]
        while let sign = rest.firstIndex(where: { $0 == "=" || $0 == ":" }) {
            let name = Self.name(before: rest[..<sign])
            result += rest[...sign]
            rest = rest[rest.index(after: sign)...]
            guard !name.isEmpty, isSecret(name) else { continue }
            result += Secret.redacted
            // A header goes on to the end of its line, an item of a form to the next one.
            let isHeader = result.hasSuffix(":" + Secret.redacted)
            rest = rest.drop { !$0.isNewline && (isHeader || !"&;,".contains($0)) }
        }
        return result + rest
    }

    /// The word that a text ends in, without quotes and blanks behind it.
    private static func name(before text: Substring) -> String {
        let isQuoting: (Character) -> Bool = { $0 == "\"" || $0 == "'" || $0.isWhitespace }
        let end = text.lastIndex { !isQuoting($0) }.map { text.index(after: $0) } ?? text.startIndex
        let word = text[..<end].reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        return String(word.reversed())
    }
}
