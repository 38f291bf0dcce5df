import CastWire

/// What inputs have to fulfil between their keys, as JSON Schema for `GatewayOperation.inputRules`. Each rule is what a `check` asks.
enum InputRules {
    /// One of some keys, and no second.
    static func oneOf(_ keys: String...) -> JSONObject {
        ["oneOf": .array(keys.map { ["required": [.string($0)]] })]
    }

    /// At least one of some keys.
    static func anyOf(_ keys: String...) -> JSONObject {
        ["anyOf": .array(keys.map { ["required": [.string($0)]] })]
    }

    /// Not both of two keys.
    static func notBoth(_ first: String, _ second: String) -> JSONObject {
        ["not": ["required": [.string(first), .string(second)]]]
    }

    /// Keys whose JSON has to be an object, or a list of objects.
    static func json(objects: [String] = [], lists: [String] = []) -> JSONObject {
        let list: JSONValue = ["type": "array", "items": ["type": "object"]]
        return Self.properties(
            objects.map { ($0, ["type": "object"]) } + lists.map { ($0, list) })
    }

    /// An app that can be launched.
    static let app = Self.properties([("app", ["pattern": .string(AppID.pattern)])])

    /// What a key takes beyond its type.
    static func properties(_ properties: [(String, JSONValue)]) -> JSONObject {
        ["properties": .object(JSONObject(properties))]
    }

    /// Several rules; each has keywords of its own, and `properties` are those of all.
    static func all(_ rules: JSONObject...) -> JSONObject {
        var result: JSONObject = [:]
        for rule in rules {
            for (name, value) in rule.members {
                let own = result.object(name)?.members ?? []
                let both = own + (value.objectValue?.members ?? [])
                let isMerged = !own.isEmpty && name == "properties"
                result[name] = isMerged ? .object(JSONObject(both.map { ($0.name, $0.value) })) : value
            }
        }
        return result
    }
}
