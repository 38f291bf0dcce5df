import CastWire

/// Describes a schema in JSON Schema draft-07, which is what editors understand.
struct JSONSchemaGenerator {
    private static let reference: JSONValue = ["$ref": "#/definitions/reference"]

    /// The whole document.
    /// - Parameter isPart: whether it describes a file that another one includes, in which nothing has to be.
    static func document(_ schema: ConfigSchema, title: String, isPart: Bool) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("$schema", .string("http://json-schema.org/draft-07/schema#")),
            ("title", .string(title)),
        ]
        members += self.members(of: schema).filter { !isPart || $0.0 != "required" }
        let reference: [(String, JSONValue)] = [
            ("description", .string("A reference to an environment variable")),
            ("type", .string("string")),
            ("pattern", .string(#"\$\{[A-Za-z_][A-Za-z0-9_]*(:[-?][^}]*)?\}"#)),
        ]
        let placeholder: [(String, JSONValue)] = [
            ("description", .string("A placeholder of for_each")), ("type", .string("string")),
            ("pattern", .string(#"\{[A-Za-z0-9_+ ]+\}"#)),
        ]
        let template = JSONValue.array([Self.reference, .object(JSONObject(placeholder))])
        members.append(
            ("definitions", ["reference": .object(JSONObject(reference)), "template": ["anyOf": template]]))
        return .object(JSONObject(members))
    }

    /// The same with placeholders wherever a reference to a variable may stand.
    private static func allowingPlaceholders(_ value: JSONValue) -> JSONValue {
        switch value {
        case Self.reference: ["$ref": "#/definitions/template"]
        case .array(let elements): .array(elements.map(self.allowingPlaceholders))
        case .object(let object):
            .object(JSONObject(object.members.map { ($0.name, self.allowingPlaceholders($0.value)) }))
        default: value
        }
    }

    private static func members(of schema: ConfigSchema) -> [(String, JSONValue)] {
        switch schema.kind {
        case .object(let fields):
            return self.object(fields)
        case .list(let element, _):
            var items = JSONValue.object(JSONObject(self.members(of: schema.elementBesideDefaults(element))))
            // Any text of an element may have placeholders.
            if case .elements = schema.shorthand { items = self.allowingPlaceholders(items) }
            let least: [(String, JSONValue)] = schema.emptyHint == nil ? [] : [("minItems", .number(1))]
            return [("type", .string("array"))] + least + [("items", items)]
        case .openObject(let fields, let key, let value):
            let properties = fields.map { ($0.name, JSONValue.object(JSONObject(self.property($0)))) }
            return self.map(key: key, value: value, names: fields.map(\.name))
                + [("properties", .object(JSONObject(properties)))]
        case .map(let key, let value):
            return self.map(key: key, value: value)
        case .oneOf(let alternatives):
            return [("anyOf", .array(alternatives.map { .object(JSONObject(self.members(of: $0))) }))]
        case .json:
            return []
        default:
            return self.scalar(schema)
        }
    }

    /// A mapping whose keys the operator chooses.
    /// - Parameter names: further keys that may stand in it.
    private static func map(key: ConfigSchema, value: ConfigSchema, names: [String] = []) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [("type", .string("object"))]
        members.append(("patternProperties", ["^x-": [:]]))
        if let pattern = self.pattern(of: key) {
            let all = (["^x-"] + names.map { "^\($0)$" } + [pattern]).joined(separator: "|")
            members.append(("propertyNames", ["pattern": .string(all)]))
        }
        members.append(("additionalProperties", .object(JSONObject(self.members(of: value)))))
        return members
    }

    private static func object(_ fields: [ConfigField]) -> [(String, JSONValue)] {
        var properties: [(String, JSONValue)] = []
        var conditions: [JSONValue] = []
        for field in fields {
            properties.append((field.name, .object(JSONObject(self.property(field)))))
            guard let fileKey = field.fileKey else { continue }
            let file: [(String, JSONValue)] = [
                ("description", .string("A file with the value of '\(field.name)'")),
                ("type", .string("string")),
            ]
            properties.append((fileKey, .object(JSONObject(file))))
            let both = JSONValue.array([.string(field.name), .string(fileKey)])
            conditions.append(["not": ["required": both]])
            if field.presence == .required {
                let either = [field.name, fileKey].map { name in
                    ["required": [.string(name)]] as JSONValue
                }
                conditions.append(["anyOf": .array(either)])
            }
        }
        var members: [(String, JSONValue)] = [
            ("type", .string("object")),
            ("properties", .object(JSONObject(properties))),
            ("patternProperties", ["^x-": [:]]),
            ("additionalProperties", .bool(false)),
        ]
        let required = fields.filter { $0.presence == .required && $0.fileKey == nil }.map(\.name)
        if !required.isEmpty { members.append(("required", .array(required.map { .string($0) }))) }
        if !conditions.isEmpty { members.append(("allOf", .array(conditions))) }
        return members
    }

    private static func property(_ field: ConfigField) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [("description", .string(field.meaning))]
        if case .defaultsTo(let text) = field.presence, let node = ConfigNode(yaml: text) {
            members.append(("default", node.json))
        }
        if let example = field.example, field.fileKey == nil, let node = ConfigNode(yaml: example) {
            members.append(("examples", .array([node.json])))
        }
        if let reload = field.reload { members.append(("x-reload", .string(reload.rawValue))) }
        return members + self.members(of: field.schema)
    }

    private static func scalar(_ schema: ConfigSchema) -> [(String, JSONValue)] {
        switch schema.kind {
        case .word(let words):
            return self.orReference([("enum", .array(words.map { .string($0) }))])
        case .boolean:
            return self.orReference([("type", .string("boolean"))])
        case .formatVersion(let version):
            return self.orReference([("const", .number(version))])
        case .integer(let range):
            return self.orReference([
                ("type", .string("integer")),
                ("minimum", .number(range.lowerBound)),
                ("maximum", .number(range.upperBound)),
            ])
        case .number(let range):
            return self.orReference([
                ("type", .string("number")),
                ("minimum", .number(range.lowerBound)),
                ("maximum", .number(range.upperBound)),
            ])
        case .text(let rule) where rule.allowed == nil:
            return [
                ("type", self.textTypes),
                ("minLength", .number(min(rule.length.lowerBound, 1))),
                ("maxLength", .number(rule.length.upperBound)),
            ]
        default:
            guard let pattern = self.pattern(of: schema) else {
                return [("type", self.textTypes), ("minLength", .number(1))]
            }
            return self.orReference([("type", self.types(of: schema)), ("pattern", .string(pattern))])
        }
    }

    /// A text needs no quotes, so to an editor it may look like a number or a truth value.
    private static let textTypes = JSONValue.array([.string("string"), .string("number"), .string("boolean")])

    /// Only names and ids may look like something else; a duration that is a number lacks its unit.
    private static func types(of schema: ConfigSchema) -> JSONValue {
        switch schema.kind {
        case .text, .appID, .appIDPattern: self.textTypes
        default: .string("string")
        }
    }

    private static func orReference(_ members: [(String, JSONValue)]) -> [(String, JSONValue)] {
        [("anyOf", .array([.object(JSONObject(members)), self.reference]))]
    }

    /// The form of a text as a regular expression, never stricter than the validator; nil when every text will do.
    static func pattern(of schema: ConfigSchema) -> String? {
        let host = #"(\[[0-9A-Fa-f:.%a-z]+\]|[A-Za-z0-9._-]+)"#
        switch schema.kind {
        case .text(let rule): return rule.pattern
        case .duration: return "^[0-9]+(ms|s|m|h|d)$"
        case .size: return "^[0-9]+(B|KiB|MiB|GiB)$"
        case .listenAddress: return "^\(host):[0-9]{1,5}$"
        case .dialAddress: return "^\(host)(:[0-9]{1,5})?$"
        case .addressRange: return #"^[0-9A-Fa-f:.]+(%[^/]+)?(/[0-9]{1,3})?$"#
        case .namespace: return "^urn:x-cast:[!-)+-~]+$"
        case .namespacePattern: return #"^urn:x-cast:[!-)+-~]+(\.\*)?$"#
        case .appID: return "^[A-Za-z0-9._-]{1,64}$"
        case .appIDPattern: return "^[A-Za-z0-9._*?-]{1,64}$"
        case .uuid: return "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
        default: return nil
        }
    }
}

extension ConfigSchema {
    /// The schema in JSON Schema draft-07 as indented JSON text, the same for the same schema.
    /// - Parameter isPart: whether it describes a file that another one includes, which need not have what the whole needs.
    package func jsonSchema(title: String, isPart: Bool = false) -> String {
        JSONSchemaGenerator.document(self.resolvingReload(), title: title, isPart: isPart).text(indented: true) + "\n"
    }
}
