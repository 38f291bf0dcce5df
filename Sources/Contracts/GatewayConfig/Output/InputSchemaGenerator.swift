package import CastWire

/// Describes what programs send in JSON Schema 2020-12: the same checks as of a file, without what only YAML has.
///
/// A text is a text, nothing is taken from the environment or from files, and keys that begin with `x-` are unknown like all
/// others. Lengths of texts are code points, as the checks of JSON count them.
enum InputSchemaGenerator {
    /// The characters that a text may have: all but control characters.
    private static let printable = #"^[^\u0000-\u001F\u007F-\u009F]*$"#

    static func schema(_ schema: ConfigSchema) -> JSONObject {
        switch schema.kind {
        case .object(let fields): return self.object(fields)
        case .list(let element, _): return ["type": "array", "items": .object(self.schema(element))]
        case .map(let key, let value): return self.map(key: key, value: value)
        case .openObject(let fields, let key, let value):
            var members = self.map(key: key, value: value)
            members["propertyNames"] = nil
            members["properties"] = self.properties(fields)
            return members
        case .oneOf(let alternatives):
            return ["anyOf": .array(alternatives.map { .object(self.schema($0)) })]
        case .json: return [:]
        case .word(let words): return ["type": "string", "enum": .array(words.map { .string($0) })]
        case .boolean: return ["type": "boolean"]
        case .formatVersion(let version): return ["const": .number(version)]
        case .integer(let range):
            return [
                "type": "integer", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
            ]
        case .number(let range):
            return ["type": "number", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)]
        case .text(let rule) where rule.allowed == nil: return self.text(rule.length)
        case .glob, .path: return self.text(1...4096)
        case .secret: return ["type": "string"]
        default:
            var members: JSONObject = ["type": "string"]
            if let pattern = JSONSchemaGenerator.pattern(of: schema) { members["pattern"] = .string(pattern) }
            return members
        }
    }

    private static func text(_ length: ClosedRange<Int>) -> JSONObject {
        [
            "type": "string", "minLength": .number(min(length.lowerBound, 1)), "maxLength": .number(length.upperBound),
            "pattern": .string(self.printable),
        ]
    }

    private static func map(key: ConfigSchema, value: ConfigSchema) -> JSONObject {
        [
            "type": "object", "propertyNames": .object(self.schema(key)),
            "additionalProperties": .object(self.schema(value)),
        ]
    }

    static func object(_ fields: [ConfigField]) -> JSONObject {
        var members: JSONObject = [
            "type": "object", "properties": self.properties(fields), "additionalProperties": .bool(false),
        ]
        let required = fields.filter { $0.presence == .required }.map { JSONValue.string($0.name) }
        if !required.isEmpty { members["required"] = .array(required) }
        return members
    }

    private static func properties(_ fields: [ConfigField]) -> JSONValue {
        .object(JSONObject(fields.map { ($0.name, .object($0.inputSchema)) }))
    }
}

extension ConfigField {
    /// The JSON Schema 2020-12 of what a program may send for the key, with its meaning and its default.
    package var inputSchema: JSONObject {
        var members: JSONObject = ["description": .string(self.meaning)]
        for member in InputSchemaGenerator.schema(self.schema).members { members[member.name] = member.value }
        guard !self.schema.isSecret else {
            members["writeOnly"] = true
            return members
        }
        if case .defaultsTo(let text) = self.presence, let node = ConfigNode(yaml: text) {
            members["default"] = node.json
        }
        if let example = self.inputExample { members["examples"] = .array([example]) }
        return members
    }

    /// A value as a program would send it.
    package var inputExample: JSONValue? {
        guard let example else { return nil }
        switch self.schema.kind {
        case .object, .openObject, .list, .map, .oneOf, .json, .boolean, .integer, .number:
            return ConfigNode(yaml: example)?.json
        default: return .string(example)
        }
    }

    /// The schema of an object with these keys and no others, in JSON Schema 2020-12.
    package static func inputSchema(_ fields: [ConfigField]) -> JSONObject { InputSchemaGenerator.object(fields) }
}
