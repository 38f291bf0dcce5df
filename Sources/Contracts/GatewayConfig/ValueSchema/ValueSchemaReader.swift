import CastWire
import _StringProcessing

/// Reads a ``ValueSchema`` from its tree, collecting what is wrong with it.
struct ValueSchemaReader {
    private static let depthLimit = 32
    /// Keywords that only describe.
    private static let annotations: Set<String> = [
        "$schema", "$id", "$comment", "title", "description", "examples", "format", "readOnly", "writeOnly",
        "deprecated",
    ]
    private static let known = [
        "type", "properties", "required", "additionalProperties", "items", "enum", "minimum", "maximum", "minLength",
        "maxLength", "minItems", "maxItems", "pattern", "default",
    ]

    var problems: ConfigProblems

    mutating func schema(_ node: ConfigNode, depth: Int) -> ValueSchema {
        var schema = ValueSchema()
        guard depth < Self.depthLimit else {
            self.add(node.location, "schemas are nested too deep")
            return schema
        }
        guard let entries = node.entries else {
            self.add(node.location, "a schema must be an object, not \(node.shapeName)")
            return schema
        }
        var bounds: [String: Int] = [:]
        for entry in entries where !Self.annotations.contains(entry.key) && !entry.isNote {
            let value = entry.value
            switch entry.key {
            case "type": schema.kinds = self.kinds(value)
            case "properties": schema.properties = self.properties(value, depth: depth)
            case "required": schema.required = self.texts(value, "required")
            case "additionalProperties":
                switch value.json {
                case .bool(true): schema.others = .anything
                case .bool(false): schema.others = .nothing
                default: schema.others = .schema(self.schema(value, depth: depth + 1))
                }
            case "items": schema.items = [self.schema(value, depth: depth + 1)]
            case "enum":
                if case .array(let words) = value.json, !words.isEmpty {
                    schema.words = words
                } else {
                    self.add(value.location, "'enum' must be a list of values")
                }
            case "minimum": schema.minimum = self.number(value, "minimum")
            case "maximum": schema.maximum = self.number(value, "maximum")
            case "minLength", "maxLength", "minItems", "maxItems":
                if let count = value.json.intValue, count >= 0 {
                    bounds[entry.key] = count
                } else {
                    self.add(value.location, "'\(entry.key)' must be a whole number from 0")
                }
            case "pattern": schema.pattern = self.pattern(value)
            case "default": schema.fallback = value.json
            default:
                let suggestion = EditDistance.suggestion(for: entry.key, among: Self.known)
                self.add(
                    entry.keyLocation, "'\(entry.key.shown)' is not supported in a plugin's schema",
                    hint: suggestion.map { "did you mean '\($0)'?" } ?? "known: \(Self.known.joined(separator: ", "))")
            }
        }
        schema.lengths = self.range(bounds, "minLength", "maxLength", at: node.location)
        schema.counts = self.range(bounds, "minItems", "maxItems", at: node.location)
        return schema
    }

    private mutating func add(_ location: ConfigLocation, _ message: String, hint: String? = nil) {
        self.problems.add(.invalidSchema, at: location, message, hint: hint)
    }

    private mutating func range(
        _ bounds: [String: Int], _ low: String, _ high: String, at location: ConfigLocation
    ) -> ClosedRange<Int>? {
        guard bounds[low] != nil || bounds[high] != nil else { return nil }
        let (least, most) = (bounds[low] ?? 0, bounds[high] ?? Int.max)
        guard least <= most else {
            self.add(location, "'\(low)' is above '\(high)'")
            return nil
        }
        return least...most
    }

    private mutating func kinds(_ node: ConfigNode) -> Set<ValueSchema.Kind> {
        var kinds: Set<ValueSchema.Kind> = []
        let nodes: [ConfigNode] = if case .sequence(let elements) = node.content { elements } else { [node] }
        for node in nodes {
            if case .string(let text) = node.json, let kind = ValueSchema.Kind(rawValue: text) {
                kinds.insert(kind)
            } else if node.json == .null {
                kinds.insert(.null)
            } else {
                let words = ValueSchema.Kind.allCases.map(\.rawValue)
                self.add(node.location, "'type' must be \(String.alternatives(words)), not \(node.shapeName)")
            }
        }
        return kinds
    }

    private mutating func properties(_ node: ConfigNode, depth: Int) -> [ValueSchema.Property] {
        guard let entries = node.entries else {
            self.add(node.location, "'properties' must be an object, not \(node.shapeName)")
            return []
        }
        var properties: [ValueSchema.Property] = []
        for entry in entries {
            properties.append(.init(name: entry.key, schema: self.schema(entry.value, depth: depth + 1)))
        }
        return properties
    }

    private mutating func texts(_ node: ConfigNode, _ name: String) -> [String] {
        guard case .array(let values) = node.json else {
            self.add(node.location, "'\(name)' must be a list of names")
            return []
        }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    private mutating func number(_ node: ConfigNode, _ name: String) -> Double? {
        guard let number = node.json.doubleValue else {
            self.add(node.location, "'\(name)' must be a number")
            return nil
        }
        return number
    }

    private mutating func pattern(_ node: ConfigNode) -> String? {
        guard case .string(let text) = node.json, (try? Regex(text)) != nil else {
            self.add(node.location, "'pattern' must be a regular expression")
            return nil
        }
        return text
    }
}
