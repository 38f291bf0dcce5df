import CastWire

/// The schemas of an OpenAPI document, in words.
struct DocumentedSchemas {
    /// Deeper members are not shown.
    private static let maximumDepth = 8

    private let document: JSONObject

    init(_ document: JSONObject) {
        self.document = document
    }

    /// What a reference leads to, or the object itself.
    func resolved(_ object: JSONObject) -> JSONObject {
        guard let reference = object.string("$ref") else { return object }
        var found = self.document
        for part in reference.split(separator: "/").dropFirst() {
            guard let next = found.object(String(part)) else { return [:] }
            found = next
        }
        return found
    }

    /// A type in some words, as HTML.
    func type(_ unresolved: JSONObject) -> String {
        let schema = self.resolved(unresolved)
        if let words = schema.array("enum") {
            return words.map { "<code>\(($0.stringValue ?? $0.text).escaped)</code>" }.joined(separator: ", ")
        }
        if let constant = schema["const"] { return "<code>\(constant.text.escaped)</code>" }
        if let parts = schema.array("anyOf") {
            return parts.compactMap(\.objectValue).map { self.type($0) }.joined(separator: " or ")
        }
        let range = [schema["minimum"], schema["maximum"]].map { $0?.text ?? "" }
        let bounds = range == ["", ""] ? "" : ", \(range[0]) to \(range[1])"
        switch schema.string("type") {
        case "string"?: return "text"
        case "integer"?: return "whole number\(Self.isWide(schema) ? "" : bounds)"
        case "number"?: return "number\(bounds)"
        case "boolean"?: return "<code>true</code> or <code>false</code>"
        case "array"?: return "list of \(self.type(schema.object("items") ?? [:]))"
        case "object"?: return "object"
        default: return "anything"
        }
    }

    /// Whether bounds are those of all whole numbers.
    private static func isWide(_ schema: JSONObject) -> Bool {
        (schema.int("maximum") ?? .max) == .max && (schema.int("minimum") ?? 0) <= 1
    }

    /// The members of an object and of those in it, a row each: name, type, meaning.
    func rows(_ schema: JSONObject, below path: String = "", depth: Int = 0) -> [[String]] {
        let schema = self.resolved(schema)
        guard depth < Self.maximumDepth else { return [] }
        if let items = schema.object("items") { return self.rows(items, below: path + "[].", depth: depth + 1) }
        if let values = schema.object("additionalProperties"), schema["properties"] == nil {
            return self.rows(values, below: path.isEmpty ? "NAME." : path + "NAME.", depth: depth + 1)
        }
        let required = Set((schema.array("required") ?? []).compactMap(\.stringValue))
        return (schema.object("properties") ?? [:]).members.flatMap { name, value -> [[String]] in
            let member = value.objectValue ?? [:]
            let meaning =
                (member.string("description") ?? "").inline + (required.contains(name) ? "" : "; may be missing")
            let own = ["<code>\((path + name).escaped)</code>", self.type(member), meaning]
            let isList = self.resolved(member)["items"] != nil
            return [own] + self.rows(member, below: path + name + (isList ? "" : "."), depth: depth + 1)
        }
    }

    /// A value that fits; of an object its required members, and the first of those of which one is wanted.
    func example(_ unresolved: JSONObject) -> JSONValue {
        let schema = self.resolved(unresolved)
        if let example = schema.array("examples")?.first ?? schema["default"] ?? schema["const"] { return example }
        if let first = schema.array("enum")?.first { return first }
        let alternatives = schema.array("oneOf") ?? schema.array("anyOf")
        if schema["type"] == nil, let first = alternatives?.first?.objectValue { return self.example(first) }
        switch schema.string("type") {
        case "integer"?, "number"?: return schema["minimum"] ?? .number(1)
        case "boolean"?: return true
        case "array"?: return .array([self.example(schema.object("items") ?? [:])])
        case "object"?:
            let wanted = alternatives?.first?.objectValue?.array("required") ?? []
            let required = Set(((schema.array("required") ?? []) + wanted).compactMap(\.stringValue))
            let members = (schema.object("properties") ?? [:]).members
            return .object(
                JSONObject(
                    members.filter { required.contains($0.name) }
                        .map { ($0.name, self.example($0.value.objectValue ?? [:])) }))
        case "string"?: return "…"
        default: return .object([:])
        }
    }
}
