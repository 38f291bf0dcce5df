/// Advice on values that are written in another way than a key takes them.
extension ConfigValidator {
    /// Advice for a value that is right up to a `#`: without a space before it that begins no comment.
    func commentHint(_ scalar: ConfigScalar, _ schema: ConfigSchema) -> String? {
        guard scalar.style == .plain, !schema.isSecret, let sign = scalar.text.firstIndex(of: "#") else { return nil }
        var value = scalar
        value.text = String(scalar.text[..<sign])
        guard (try? self.content(value, schema)) != nil else { return nil }
        return "write a space before '#', where the comment begins"
    }

    /// The names that other programs give to keys, with the words of `gateway.yaml`.
    static let synonyms = [
        "deny": "reject", "block": "reject", "forbid": "reject", "refuse": "reject", "disallow": "reject",
        "permit": "allow", "accept": "allow", "pass": "allow", "ignore": "drop", "discard": "drop",
        "replace": "rewrite", "modify": "rewrite", "throttle": "limit", "forward": "forward_to", "warn": "warning",
        "verbose": "debug", "critical": "error",
    ]

    /// The number that a percentage, or a number with a decimal comma, stands for; nil when it is none of the range.
    static func numberMeant(by text: String, _ range: ClosedRange<Double>) -> Double? {
        let value =
            if text.hasSuffix("%") {
                CoreSchemaNumber.number(String(text.dropLast()).replacing(" ", with: "")).map { $0 / 100 }
            } else {
                CoreSchemaNumber.number(text.replacing(",", with: "."))
            }
        return value.flatMap { range.contains($0) ? $0 : nil }
    }

    /// Advises how to write as a list what is none.
    static func listHint(_ node: ConfigNode, _ schema: ConfigSchema) -> String? {
        guard case .list(let element, _) = schema.kind else { return nil }
        switch node.content {
        case .scalar(let scalar): return "write a list: [\(scalar.text.shown)]"
        case .mapping(let entries):
            guard case .object(let fields) = element.kind, let first = entries.first else { return nil }
            let isElement = fields.contains { $0.keys.contains(first.key) }
            return isElement || fields.first?.name != "name"
                ? "write a list: begin each element with '- '"
                : "write a list: '- name: \(first.key.shown)', and its keys below"
        case .sequence: return nil
        }
    }

    /// The one key that begins with a word of three letters or more; nil when several do.
    static func key(begunBy word: String, _ keys: [String]) -> String? {
        let fitting = keys.filter { $0.hasPrefix(word) }
        return word.utf8.count >= 3 && fitting.count == 1 ? fitting[0] : nil
    }
}

extension ConfigSchema {
    /// The key of a mapping that needs one alone.
    var onlyRequiredKey: String? {
        guard case .object(let fields) = self.kind else { return nil }
        let required = fields.filter { $0.presence == .required }
        return required.count == 1 ? required[0].name : nil
    }
}
