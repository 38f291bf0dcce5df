package import CastWire

/// What operations answer and events say, in JSON Schema 2020-12.
package enum OpenAPIResult {
    /// The schema of a problem detail (RFC 9457), as refusals are told on every interface.
    package static var problem: JSONObject { OpenAPIProblem.schema }

    /// The schema of an object with these members and no others.
    package static func schema(_ members: [OperationResult.Member]) -> JSONObject {
        let properties = members.map { member -> (String, JSONValue) in
            var schema: JSONObject = ["description": .string(member.meaning)]
            for part in self.schema(member.kind).members { schema[part.name] = part.value }
            return (member.name, .object(schema))
        }
        var schema: JSONObject = [
            "type": "object", "properties": .object(JSONObject(properties)), "additionalProperties": false,
        ]
        let required = members.filter { !$0.isOptional }.map { JSONValue.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        return schema
    }

    /// The schema of a value.
    package static func schema(_ kind: OperationResult.Kind) -> JSONObject {
        switch kind {
        case .text: ["type": "string"]
        case .word(let words): ["type": "string", "enum": .array(words.map { .string($0) })]
        case .integer: ["type": "integer"]
        case .number: ["type": "number"]
        case .boolean: ["type": "boolean"]
        case .object(let members): self.schema(members)
        case .map(let value): ["type": "object", "additionalProperties": .object(self.schema(value))]
        case .list(let element): ["type": "array", "items": .object(self.schema(element))]
        case .anything: [:]
        }
    }
}
