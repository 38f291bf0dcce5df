internal import CastWire
internal import GatewayConfig

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
