internal import CastWire
internal import GatewayConfig

/// Which members of metadata and of message bodies are never printed.
///
/// A rule is a name, `credentials`, or the end of a path, `customData.token`; it counts at any depth, and upper and lower
/// case do not matter. Names that end in a word for a secret are hidden whatever the rules say.
struct LogRedaction: Sendable {
    private let rules: [[String]]

    /// Takes `log.redact`.
    init(_ members: [String]) {
        self.rules = members.map { member in member.split(separator: ".").map { $0.lowercased() } }
            .filter { !$0.isEmpty }
    }

    /// The value without what must not be printed.
    ///
    /// - Parameter path: The names that lead to the value, outermost first; positions in lists do not count.
    func redacted(_ value: JSONValue, at path: [String] = []) -> JSONValue {
        if self.hides(path) { return .string(Secret.redacted) }
        switch value {
        case .object(let object):
            return .object(
                JSONObject(object.members.map { ($0.name, self.redacted($0.value, at: path + [$0.name])) }))
        case .array(let elements):
            return .array(elements.map { self.redacted($0, at: path) })
        default:
            return value
        }
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
