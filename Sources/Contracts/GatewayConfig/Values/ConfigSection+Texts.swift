/// A text that a file has, with the key that it is written for.
package struct ConfigText: Sendable {
    /// The key: `routing.rules[].when.type`; `*` stands for keys that the operator chose, as in `bridges.mqtt.principals.*.devices`.
    package let path: String
    /// The text; for a key that the operator chose, the key.
    package let text: String
    /// The kind of the text.
    package let kind: ConfigSchema.Kind
    package let location: ConfigLocation
}

extension ConfigSection {
    /// The texts that a file has in this mapping and below it, in the order of the schema: neither defaults nor what may be any JSON.
    package var writtenTexts: [ConfigText] {
        var texts: [ConfigText] = []
        self.collect(at: self.path, &texts)
        return texts
    }

    private func collect(at path: String, _ texts: inout [ConfigText]) {
        for entry in self.entries where entry.value.origin != .default {
            let path = path.isEmpty ? entry.field.name : "\(path).\(entry.field.name)"
            Self.collect(entry.value, [entry.field.schema], at: path, &texts)
        }
    }

    /// - Parameter schemas: what the value may be, one of which it is.
    private static func collect(
        _ value: ConfigValue, _ schemas: [ConfigSchema], at path: String, _ texts: inout [ConfigText]
    ) {
        let schemas = schemas.flatMap { schema -> [ConfigSchema] in
            if case .oneOf(let alternatives) = schema.kind { alternatives } else { [schema] }
        }
        switch value.content {
        case .string(let text):
            guard let schema = schemas.first(where: { $0.shapes == [.scalar] }) else { return }
            texts.append(ConfigText(path: path, text: text, kind: schema.kind, location: value.location))
        case .list(let elements):
            let inner = schemas.compactMap { if case .list(let element, _) = $0.kind { element } else { nil } }
            for element in elements { Self.collect(element, inner, at: "\(path)[]", &texts) }
        case .section(let section):
            section.collect(at: path, &texts)
        case .map(let entries):
            for entry in entries { Self.collect(entry, schemas, at: path, &texts) }
        default: break
        }
    }

    private static func collect(
        _ entry: ConfigValue.Entry, _ schemas: [ConfigSchema], at path: String, _ texts: inout [ConfigText]
    ) {
        for schema in schemas {
            switch schema.kind {
            case .openObject(let fields, _, _) where fields.contains { $0.name == entry.key }:
                let inner = fields.filter { $0.name == entry.key }.map(\.schema)
                return Self.collect(entry.value, inner, at: "\(path).\(entry.key)", &texts)
            case .map(let key, let value), .openObject(_, let key, let value):
                texts.append(
                    ConfigText(path: "\(path).*", text: entry.key, kind: key.kind, location: entry.keyLocation))
                return Self.collect(entry.value, [value], at: "\(path).*", &texts)
            default: continue
            }
        }
    }
}
