/// Describes a schema in JSON Schema draft-07, which is what editors understand.
struct JSONSchemaGenerator {
    private static let reference: ConfigJSON = .object([.init("$ref", .string("#/definitions/reference"))])

    /// The whole document.
    static func document(_ schema: ConfigSchema, title: String) -> ConfigJSON {
        var members: [ConfigJSON.Member] = [
            .init("$schema", .string("http://json-schema.org/draft-07/schema#")),
            .init("title", .string(title)),
        ]
        members += self.members(of: schema)
        let reference: [ConfigJSON.Member] = [
            .init("description", .string("A reference to an environment variable")),
            .init("type", .string("string")),
            .init("pattern", .string(#"\$\{[A-Za-z_][A-Za-z0-9_]*(:[-?][^}]*)?\}"#)),
        ]
        members.append(.init("definitions", .object([.init("reference", .object(reference))])))
        return .object(members)
    }

    private static func members(of schema: ConfigSchema) -> [ConfigJSON.Member] {
        switch schema.kind {
        case .object(let fields):
            return self.object(fields)
        case .list(let element, _):
            return [.init("type", .string("array")), .init("items", .object(self.members(of: element)))]
        case .map(let key, let value):
            var members: [ConfigJSON.Member] = [.init("type", .string("object"))]
            members.append(.init("patternProperties", .object([.init("^x-", .object([]))])))
            let names = self.pattern(of: key).map { "^x-|\($0)" }
            if let names { members.append(.init("propertyNames", .object([.init("pattern", .string(names))]))) }
            members.append(.init("additionalProperties", .object(self.members(of: value))))
            return members
        case .oneOf(let alternatives):
            return [.init("anyOf", .array(alternatives.map { .object(self.members(of: $0)) }))]
        case .json:
            return []
        default:
            return self.scalar(schema)
        }
    }

    private static func object(_ fields: [ConfigField]) -> [ConfigJSON.Member] {
        var properties: [ConfigJSON.Member] = []
        var conditions: [ConfigJSON] = []
        for field in fields {
            properties.append(.init(field.name, .object(self.property(field))))
            guard let fileKey = field.fileKey else { continue }
            let file: [ConfigJSON.Member] = [
                .init("description", .string("A file with the value of '\(field.name)'")),
                .init("type", .string("string")),
            ]
            properties.append(.init(fileKey, .object(file)))
            let both = ConfigJSON.array([.string(field.name), .string(fileKey)])
            conditions.append(.object([.init("not", .object([.init("required", both)]))]))
            if field.presence == .required {
                let either = [field.name, fileKey].map { name in
                    ConfigJSON.object([.init("required", .array([.string(name)]))])
                }
                conditions.append(.object([.init("anyOf", .array(either))]))
            }
        }
        var members: [ConfigJSON.Member] = [
            .init("type", .string("object")),
            .init("properties", .object(properties)),
            .init("patternProperties", .object([.init("^x-", .object([]))])),
            .init("additionalProperties", .boolean(false)),
        ]
        let required = fields.filter { $0.presence == .required && $0.fileKey == nil }.map(\.name)
        if !required.isEmpty { members.append(.init("required", .array(required.map { .string($0) }))) }
        if !conditions.isEmpty { members.append(.init("allOf", .array(conditions))) }
        return members
    }

    private static func property(_ field: ConfigField) -> [ConfigJSON.Member] {
        var members: [ConfigJSON.Member] = [.init("description", .string(field.meaning))]
        if case .defaultsTo(let text) = field.presence, let node = ConfigNode(yaml: text) {
            members.append(.init("default", node.json))
        }
        if let example = field.example, field.fileKey == nil, let node = ConfigNode(yaml: example) {
            members.append(.init("examples", .array([node.json])))
        }
        if let reload = field.reload { members.append(.init("x-reload", .string(reload.rawValue))) }
        return members + self.members(of: field.schema)
    }

    private static func scalar(_ schema: ConfigSchema) -> [ConfigJSON.Member] {
        switch schema.kind {
        case .word(let words):
            return self.orReference([.init("enum", .array(words.map { .string($0) }))])
        case .boolean:
            return self.orReference([.init("type", .string("boolean"))])
        case .formatVersion(let version):
            return self.orReference([.init("const", .integer(version))])
        case .integer(let range):
            return self.orReference([
                .init("type", .string("integer")),
                .init("minimum", .integer(range.lowerBound)),
                .init("maximum", .integer(range.upperBound)),
            ])
        case .number(let range):
            return self.orReference([
                .init("type", .string("number")),
                .init("minimum", .number(range.lowerBound)),
                .init("maximum", .number(range.upperBound)),
            ])
        case .text(let rule) where rule.allowed == nil:
            return [
                .init("type", self.textTypes),
                .init("minLength", .integer(min(rule.length.lowerBound, 1))),
                .init("maxLength", .integer(rule.length.upperBound)),
            ]
        default:
            guard let pattern = self.pattern(of: schema) else {
                return [.init("type", self.textTypes), .init("minLength", .integer(1))]
            }
            return self.orReference([.init("type", self.types(of: schema)), .init("pattern", .string(pattern))])
        }
    }

    /// A text needs no quotes, so to an editor it may look like a number or a truth value.
    private static let textTypes = ConfigJSON.array([.string("string"), .string("number"), .string("boolean")])

    /// Only names and ids may look like something else; a duration that is a number lacks its unit.
    private static func types(of schema: ConfigSchema) -> ConfigJSON {
        switch schema.kind {
        case .text, .appID: self.textTypes
        default: .string("string")
        }
    }

    private static func orReference(_ members: [ConfigJSON.Member]) -> [ConfigJSON.Member] {
        [.init("anyOf", .array([.object(members), self.reference]))]
    }

    /// The form of a text as a regular expression, never stricter than the validator; nil when every text will do.
    private static func pattern(of schema: ConfigSchema) -> String? {
        let host = #"(\[[0-9A-Fa-f:.%a-z]+\]|[A-Za-z0-9._-]+)"#
        switch schema.kind {
        case .text(let rule): return rule.pattern
        case .duration: return "^[0-9]+(ms|s|m|h)$"
        case .size: return "^[0-9]+(B|KiB|MiB|GiB)$"
        case .listenAddress: return "^\(host):[0-9]{1,5}$"
        case .dialAddress: return "^\(host)(:[0-9]{1,5})?$"
        case .addressRange: return #"^[0-9A-Fa-f:.]+(%[^/]+)?(/[0-9]{1,3})?$"#
        case .namespace: return "^urn:x-cast:[!-)+-~]+$"
        case .namespacePattern: return #"^urn:x-cast:[!-)+-~]+(\.\*)?$"#
        case .appID: return "^[A-Za-z0-9._-]{1,64}$"
        case .uuid: return "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
        default: return nil
        }
    }
}

extension ConfigSchema {
    /// The schema in JSON Schema draft-07 as indented JSON text, the same for the same schema.
    public func jsonSchema(title: String) -> String {
        JSONSchemaGenerator.document(self.resolvingReload(), title: title).text(indented: true) + "\n"
    }
}
