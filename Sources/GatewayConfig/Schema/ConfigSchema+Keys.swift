extension ConfigSchema {
    /// For every key of the schema the places where it is allowed, as they follow "belongs".
    func keyHomes() -> [String: [String]] {
        var homes: [String: [String]] = [:]
        self.collectHomes(path: "", into: &homes)
        return homes
    }

    /// The names of all keys whose value is a secret.
    func secretKeys() -> Set<String> {
        switch self.kind {
        case .object(let fields):
            fields.reduce(into: []) { keys, field in
                if field.schema.isSecret || field.schema.elementIsSecret { keys.insert(field.name) }
                keys.formUnion(field.schema.secretKeys())
            }
        case .list(let element, _): element.secretKeys()
        case .map(_, let value): value.secretKeys()
        case .oneOf(let alternatives): alternatives.reduce(into: []) { $0.formUnion($1.secretKeys()) }
        default: []
        }
    }

    /// Whether the value is a text that is never shown.
    var isSecret: Bool {
        switch self.kind {
        case .secret: true
        case .text(let rule): rule.isSecret
        default: false
        }
    }

    /// Whether the value is a mapping or a list of texts that are never shown.
    private var elementIsSecret: Bool {
        switch self.kind {
        case .list(let element, _): element.isSecret
        case .map(_, let value): value.isSecret
        default: false
        }
    }

    private func collectHomes(path: String, into homes: inout [String: [String]]) {
        switch self.kind {
        case .object(let fields):
            for field in fields {
                for key in field.keys {
                    homes[key, default: []].append(path.isEmpty ? "at the top level" : "under '\(path)'")
                }
                field.schema.collectHomes(path: path.isEmpty ? field.name : "\(path).\(field.name)", into: &homes)
            }
        case .list(let element, _):
            element.collectHomes(path: "\(path)[]", into: &homes)
        case .map(let key, let value):
            value.collectHomes(path: "\(path).\(key.placeholder)", into: &homes)
        case .oneOf(let alternatives):
            for alternative in alternatives { alternative.collectHomes(path: path, into: &homes) }
        default:
            break
        }
    }

    /// What stands for a chosen key in a path.
    var placeholder: String {
        if case .appID = self.kind { "APP" } else { "NAME" }
    }
}
